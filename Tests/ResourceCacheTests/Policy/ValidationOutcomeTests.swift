import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import TestSupport
import Testing

/// RFC 9111 sections 3.2, 4.2.4 and 4.3; RFC 5861 section 4.
@Suite(.inTurn)
struct ValidationOutcomeTests {
  typealias Exchange = CacheExchange

  private func outcome(
    _ stored: StoredResponse, _ response: Response, _ asked: Headers = [:], now: Int = 100
  ) -> ValidationOutcome {
    ValidationOutcome(
      of: stored, by: response, to: Exchange.request(asked), requestDate: Exchange.date(now - 1),
      now: Exchange.date(now))
  }

  @Test
  func `4.3.4: a 304 updates the fields and the age, but not the body and its fields`() {
    let stored = Exchange.stored([
      .eTag: "\"1\"", .cacheControl: "max-age=10", .contentType: "text/plain", .age: "9",
      "X-Old": "o",
      "X-Both": "1", .contentLength: "4",
    ])
    var notModified = Exchange.response(
      [
        .eTag: "\"1\"", .cacheControl: "max-age=50", .date: Exchange.httpDate(100),
        .contentLength: "0",
        .contentType: "text/html", .connection: "close", "X-New": "n",
      ], 304)
    notModified.headers.append("X-Both", "2")
    notModified.headers.append("X-Both", "3")

    guard case .notModified(let fresh) = outcome(stored, notModified) else {
      Issue.record("not good")
      return
    }

    #expect(fresh.response.body == stored.response.body && fresh.response.status == .ok)
    #expect(fresh.response.headers[.cacheControl] == "max-age=50")
    #expect(fresh.response.headers[.contentType] == "text/plain")
    #expect(fresh.response.headers[.contentLength] == "4")
    #expect(fresh.response.headers["X-Old"] == "o" && fresh.response.headers["X-New"] == "n")
    #expect(fresh.response.headers.values(of: "X-Both") == ["2", "3"])
    #expect(fresh.response.headers[.connection] == nil && fresh.response.headers[.age] == nil)
    #expect(fresh.age(at: Exchange.date(110)) == .seconds(11))
    #expect(fresh.staleness(at: Exchange.date(110)) < .zero)
  }

  @Test
  func
    `4.3.4: a 304 without a date counts as generated at its arrival, and makes the response fresh`()
  {
    let stored = Exchange.stored([
      .eTag: "\"1\"", .cacheControl: "max-age=50", .date: Exchange.httpDate(0),
    ])

    guard case .notModified(let fresh) = outcome(stored, Exchange.response([.eTag: "\"1\""], 304))
    else {
      Issue.record("not good")
      return
    }

    #expect(fresh.staleness(at: Exchange.date(110)) < .zero)
  }

  static let meanings: [(stored: Headers, notModified: Headers, isMatch: Bool)] = [
    ([.eTag: "\"1\""], [.eTag: "\"1\""], true),
    ([.eTag: "\"1\""], [.eTag: "W/\"1\""], true),
    ([.eTag: "\"1\""], [.eTag: "\"2\""], false),
    ([.eTag: "\"1\""], [:], true),
    ([:], [.eTag: "\"2\""], false),
    ([.lastModified: "a"], [.lastModified: "a"], true),
    ([.lastModified: "a"], [.lastModified: "b"], false),
    ([.eTag: "\"1\"", .lastModified: "a"], [.eTag: "\"1\"", .lastModified: "b"], true),
  ]

  @Test(arguments: meanings.indices)
  func `4.3.4: a 304 with another validator is for another response`(index: Int) {
    let row = Self.meanings[index]

    let outcome = outcome(Exchange.stored(row.stored), Exchange.response(row.notModified, 304))

    if case .notModified = outcome {
      #expect(row.isMatch)
    } else {
      #expect(outcome == .mismatch && !row.isMatch)
    }
  }

  @Test(arguments: [200, 203, 301, 404, 410, 412, 501] as [Status])
  func `4.3.3: any other response replaces the stored one`(status: Status) {
    let stored = Exchange.stored([.cacheControl: "max-age=1, stale-if-error=999"])

    #expect(outcome(stored, Exchange.response([:], status)) == .replaced)
  }

  /// The directives of the response and the request, the second, and the failures after which it
  /// may be used.
  static let staleUses: [(stored: String, asked: String, now: Int, failing: Bool, offline: Bool)] =
    [
      ("max-age=10", "", 20, false, true),
      ("max-age=10, stale-if-error=10", "", 20, true, true),
      ("max-age=10, stale-if-error=10", "", 21, false, true),
      ("max-age=10", "stale-if-error=10", 20, true, true),
      ("max-age=10, stale-if-error=10, must-revalidate", "", 20, false, false),
      ("max-age=10, stale-if-error=10, no-cache", "", 20, false, false),
      ("max-age=10, stale-if-error=10", "no-cache", 20, false, false),
      ("max-age=10, stale-if-error=10", "min-fresh=1", 20, true, false),
    ]

  @Test(arguments: staleUses.indices)
  func `RFC 5861 section 4 and 4.2.4: a stale response is used if that is allowed`(index: Int) {
    let row = Self.staleUses[index]
    let stored = Exchange.stored([.cacheControl: row.stored])
    let request = Exchange.request(row.asked.isEmpty ? [:] : [.cacheControl: row.asked])
    let now = Exchange.date(row.now)

    #expect(stored.mayBeUsedStale(after: .serverError, request, now: now) == row.failing)
    #expect(stored.mayBeUsedStale(after: .disconnected, request, now: now) == row.offline)
    for status in [500, 502, 503, 504] as [Status] {
      let outcome = outcome(stored, Exchange.response([:], status), request.headers, now: row.now)
      #expect(outcome == (row.failing ? .staleAllowed(stored) : .replaced))
    }
  }
}
