import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import TestSupport
import Testing

/// RFC 9111 sections 4, 5.2.1 and 5.2.2; RFC 5861 section 3.
@Suite(.inTurn)
struct CacheDecisionTests {
  typealias Exchange = CacheExchange

  enum Kind { case serve, serveStale, serveAndRevalidate, revalidate, complete, send, refuse }

  private func kind(_ decision: CacheDecision) -> Kind {
    switch decision {
    case .serve: .serve
    case .serveStale: .serveStale
    case .serveAndRevalidate: .serveAndRevalidate
    case .revalidate: .revalidate
    case .complete: .complete
    case .send: .send
    case .refuse: .refuse
    }
  }

  /// The directives of the request and of the response stored at second 0, the second, and the
  /// decision.
  static let table: [(asked: Headers, stored: String, now: Int, kind: Kind)] = [
    ([:], "max-age=10", 5, .serve),
    ([:], "max-age=10", 10, .revalidate),
    ([:], "", 0, .revalidate),
    // 5.2.2.4, 5.2.1.4 and 5.4
    ([:], "max-age=10, no-cache", 5, .revalidate),
    ([.cacheControl: "no-cache"], "max-age=10", 5, .revalidate),
    ([.pragma: "no-cache"], "max-age=10", 5, .revalidate),
    // 5.2.1.1
    ([.cacheControl: "max-age=5"], "max-age=10", 5, .serve),
    ([.cacheControl: "max-age=4"], "max-age=10", 5, .revalidate),
    ([.cacheControl: "max-age=0"], "max-age=10", 5, .revalidate),
    ([.cacheControl: "max-age=50"], "max-age=10", 15, .revalidate),
    // 5.2.1.3
    ([.cacheControl: "min-fresh=5"], "max-age=10", 5, .serve),
    ([.cacheControl: "min-fresh=6"], "max-age=10", 5, .revalidate),
    // 5.2.1.2
    ([.cacheControl: "max-stale"], "max-age=10", 1000, .serveStale),
    ([.cacheControl: "max-stale=5"], "max-age=10", 15, .serveStale),
    ([.cacheControl: "max-stale=5"], "max-age=10", 16, .revalidate),
    ([.cacheControl: "max-stale=5, max-age=3"], "max-age=10", 12, .revalidate),
    // 5.2.2.2
    ([.cacheControl: "max-stale"], "max-age=10, must-revalidate", 15, .revalidate),
    ([:], "max-age=10, must-revalidate", 5, .serve),
    // For shared caches only.
    ([.cacheControl: "max-stale"], "max-age=10, proxy-revalidate", 15, .serveStale),
    // 5.2.1.7
    ([.cacheControl: "only-if-cached"], "max-age=10", 5, .serve),
    ([.cacheControl: "only-if-cached"], "max-age=10", 15, .refuse),
    ([.cacheControl: "only-if-cached, max-stale"], "max-age=10", 15, .serveStale),
    // RFC 5861 section 3
    ([:], "max-age=10, stale-while-revalidate=5", 15, .serveAndRevalidate),
    ([:], "max-age=10, stale-while-revalidate=5", 16, .revalidate),
    ([:], "max-age=10, stale-while-revalidate=x", 11, .revalidate),
    ([:], "max-age=10, stale-while-revalidate=5, must-revalidate", 12, .revalidate),
    ([.cacheControl: "max-age=0"], "max-age=10, stale-while-revalidate=5", 12, .revalidate),
    ([.cacheControl: "no-cache"], "max-age=10, stale-while-revalidate=5", 12, .revalidate),
    ([.cacheControl: "only-if-cached"], "max-age=10, stale-while-revalidate=5", 12, .serveStale),
    // RFC 9110 section 14: of several ranges, or of none that there are, the server decides.
    ([.range: "bytes=0-1"], "max-age=10", 5, .serve),
    ([.range: "bytes=0-1"], "max-age=10", 15, .revalidate),
    ([.range: "bytes=4-"], "max-age=10", 5, .send),
    ([.range: "bytes=0-1,2-3"], "max-age=10", 5, .send),
    ([.range: "bytes=4-", .cacheControl: "only-if-cached"], "max-age=10", 5, .refuse),
    // Not for this cache.
    ([.ifMatch: "\"1\""], "max-age=10", 5, .send),
    ([.ifUnmodifiedSince: Exchange.httpDate(0)], "max-age=10", 5, .send),
    // 4.3.2: a fresh response answers the caller's condition; otherwise the server does.
    ([.ifNoneMatch: "\"1\""], "max-age=10", 5, .serve),
    ([.ifModifiedSince: Exchange.httpDate(0)], "max-age=10", 5, .serve),
    ([.ifNoneMatch: "\"1\""], "max-age=10", 15, .send),
    ([.ifNoneMatch: "\"1\""], "max-age=10, no-cache", 5, .send),
    ([.ifNoneMatch: "\"1\"", .cacheControl: "only-if-cached"], "max-age=10", 15, .refuse),
    ([.ifNoneMatch: "\"1\""], "max-age=10, stale-while-revalidate=5", 12, .serveAndRevalidate),
  ]

  @Test(arguments: table.indices)
  func `4: the decision depends on the request and the stored response`(index: Int) {
    let row = Self.table[index]
    let stored = Exchange.stored([.cacheControl: row.stored])

    let decision = CacheDecision(
      Exchange.request(row.asked), stored: [stored], now: Exchange.date(row.now))

    #expect(kind(decision) == row.kind)
  }

  static let parts: [(range: String, headers: Headers, asked: Headers, kind: Kind)] = [
    ("bytes 0-3/9", [.eTag: "\"1\""], [:], .complete),
    ("bytes 0-3/*", [.eTag: "\"1\""], [:], .complete),
    ("bytes 5-8/9", [.eTag: "\"1\""], [:], .complete),
    ("bytes 4-7/9", [.eTag: "\"1\""], [:], .send),
    ("bytes 0-3/9", [.eTag: "W/\"1\""], [:], .send), ("bytes 0-3/9", [:], [:], .send),
    ("bytes 0-3/9", [.eTag: "\"1\""], [.ifNoneMatch: "\"1\""], .send),
    ("bytes 0-3/9", [.eTag: "\"1\""], [.cacheControl: "only-if-cached"], .refuse),
    ("bytes 0-3/9", [:], [.range: "bytes=1-2"], .serve),
    ("bytes 0-3/*", [:], [.range: "bytes=-1"], .send),
    ("bytes 0-3/9", [:], [.range: "bytes=3-4"], .send),
  ]

  @Test(arguments: parts.indices)
  func `3.3: a part answers for its bytes, and is completed for the whole`(index: Int) {
    let row = Self.parts[index]
    var headers = row.headers
    headers[.contentRange] = row.range
    headers[.cacheControl] = "max-age=10"
    let stored = Exchange.stored(headers, 206)

    let decision = CacheDecision(
      Exchange.request(row.asked), stored: [stored], now: Exchange.date(5))

    #expect(kind(decision) == row.kind)
  }

  @Test func `without a stored response a request is sent, or fails if that isn't allowed`() {
    let now = Exchange.start

    #expect(CacheDecision(Exchange.request(), stored: [], now: now) == .send)
    let asked = Exchange.request([.cacheControl: "only-if-cached"])
    #expect(CacheDecision(asked, stored: [], now: now) == .refuse)
    let post = Exchange.request([:], .post)
    #expect(
      CacheDecision(post, stored: [Exchange.stored([.cacheControl: "max-age=9"])], now: now)
        == .send)
  }

  @Test func `4: the newest of several matching responses is used`() {
    let request = Exchange.request([.accept: "a"])
    func stored(_ accept: String, _ seconds: Int) -> StoredResponse {
      Exchange.stored(
        [.vary: "accept", .cacheControl: "max-age=99", .date: Exchange.httpDate(seconds)],
        to: Exchange.request([.accept: accept]), asked: seconds, arrived: seconds)
    }
    let newest = stored("a", 3)

    let decision = CacheDecision(
      request, stored: [stored("a", 1), newest, stored("a", 2), stored("b", 4)],
      now: Exchange.date(5))

    #expect(decision == .serve(newest))
  }

  @Test(
    arguments: [
      (
        [.eTag: "\"1\"", .lastModified: "then"], [.ifNoneMatch: "\"1\"", .ifModifiedSince: "then"]
      ),
      ([.eTag: "W/\"1\""], [.ifNoneMatch: "W/\"1\""]),
      ([.lastModified: "then"], [.ifModifiedSince: "then"]),
      ([:], [:]),
    ] as [(Headers, Headers)])
  func `4.3.1: a revalidation has all validators`(stored: Headers, asked: Headers) {
    let request = Exchange.request().validating(Exchange.response(stored))

    #expect(Set(request.headers) == Set(asked))
  }

  /// The policy of the program, the directives of the response stored at second 0, the second, and
  /// the decision.
  static let policies: [(policy: Request.CachePolicy, stored: String, now: Int, kind: Kind)] = [
    (.standard, "max-age=10", 5, .serve),
    (.freshOnly, "max-age=10", 5, .serve),
    (.freshOnly, "max-age=10, stale-while-revalidate=99", 15, .revalidate),
    (.networkOnly, "max-age=10", 5, .send),
    (.reload, "max-age=10", 5, .revalidate),
    (.reload, "max-age=10, stale-while-revalidate=99", 15, .revalidate),
    // RFC 8246.
    (.reload, "max-age=10, immutable", 5, .serve),
    (.reload, "max-age=10, immutable", 15, .revalidate),
    (.reload, "max-age=10, immutable, no-cache", 5, .revalidate),
    (.networkOnly, "max-age=10, immutable", 5, .send),
    (.cacheFirst, "max-age=10", 5, .serve),
    (.cacheFirst, "max-age=10", 1_000_000, .serveStale),
    (.cacheFirst, "no-cache", 5, .serveStale),
    (.cacheFirst, "max-age=0, must-revalidate", 5, .serveStale),
    (.cacheOnly, "max-age=10", 5, .serve),
    (.cacheOnly, "max-age=10", 1_000_000, .serveStale),
    (.staleWhileRevalidating, "max-age=10", 5, .serve),
    (.staleWhileRevalidating, "max-age=10", 1_000_000, .serveAndRevalidate),
    (.staleWhileRevalidating, "no-cache", 5, .serveAndRevalidate),
  ]

  @Test(arguments: policies.indices)
  func `a policy of the request overrides HTTP's rules`(index: Int) {
    let row = Self.policies[index]
    let stored = Exchange.stored([.cacheControl: row.stored])

    let decision = CacheDecision(
      Exchange.request(), policy: row.policy, stored: [stored], now: Exchange.date(row.now))

    #expect(kind(decision) == row.kind)
  }

  @Test(
    arguments: [
      (.standard, .send), (.freshOnly, .send), (.networkOnly, .send), (.reload, .send),
      (.cacheFirst, .send),
      (.cacheOnly, .refuse), (.staleWhileRevalidating, .send),
    ] as [(Request.CachePolicy, Kind)])
  func `without a stored response the policy decides whether to send`(
    policy: Request.CachePolicy, kind: Kind
  ) {
    let decision = CacheDecision(
      Exchange.request(), policy: policy, stored: [], now: Exchange.start)

    #expect(self.kind(decision) == kind)
  }

  @Test func `a response after redirects is revalidated, however fresh`() {
    let stored = Exchange.stored(
      [.cacheControl: "max-age=10"], body: Data(), wasRedirected: true)

    let decision = CacheDecision(Exchange.request(), stored: [stored], now: Exchange.date(1))

    #expect(decision == .revalidate(stored))
  }

  @Test func `after the clock was set back, earlier responses aren't fresh`() {
    let stored = Exchange.stored([.cacheControl: "max-age=100"])
    func decision(_ moment: Date?) -> CacheDecision {
      CacheDecision(
        Exchange.request(), stored: [stored], now: Exchange.date(5), setBackFrom: moment)
    }

    #expect(decision(nil) == .serve(stored))
    #expect(decision(Exchange.date(-1)) == .serve(stored))
    #expect(decision(Exchange.date(0)) == .revalidate(stored))
  }

  /// The caller's condition, and whether it matches a response of second 0 with the tag "a,b".
  static let conditions: [(asked: Headers, isKnown: Bool)] = [
    ([.ifNoneMatch: "\"a,b\""], true), ([.ifNoneMatch: "W/\"a,b\""], true),
    ([.ifNoneMatch: "\"x\", \"a,b\""], true), ([.ifNoneMatch: "*"], true),
    ([.ifNoneMatch: "\"a\""], false), ([.ifNoneMatch: ","], false), ([.ifNoneMatch: ""], false),
    ([.ifNoneMatch: "\", \""], false),
    ([.ifModifiedSince: Exchange.httpDate(0)], true),
    ([.ifModifiedSince: Exchange.httpDate(-1)], false), ([.ifModifiedSince: "x"], false),
    // RFC 9110 13.2.2: only the tag is compared.
    ([.ifNoneMatch: "\"a\"", .ifModifiedSince: Exchange.httpDate(0)], false), ([:], false),
  ]

  @Test(arguments: conditions.indices)
  func `RFC 9110 13.1: conditions say whether the caller already has the response`(index: Int) {
    let row = Self.conditions[index]
    let stored = Exchange.stored([.eTag: "\"a,b\"", .lastModified: Exchange.httpDate(0)])

    #expect(stored.isUnmodified(for: Exchange.request(row.asked)) == row.isKnown)
    #expect(
      !Exchange.stored([.eTag: "\"a,b\""], 404).isUnmodified(for: Exchange.request(row.asked)))
  }

  @Test func `RFC 9110 9.3.2: a fresh response is also used for HEAD`() {
    let stored = Exchange.stored([.cacheControl: "max-age=10"])

    let decision = CacheDecision(
      Exchange.request([:], .head), stored: [stored], now: Exchange.date(1))

    #expect(decision == .serve(stored))
  }
}
