import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import TestSupport
import Testing

/// RFC 9111 section 4.2.
@Suite(.inTurn)
struct StoredResponseAgeTests {
  typealias Exchange = CacheExchange

  /// The headers, the seconds of the request, the arrival and the use, and the age at that time.
  static let ages: [(headers: Headers, asked: Int, arrived: Int, now: Int, age: Int)] = [
    ([.date: Exchange.httpDate(0)], 0, 0, 0, 0),
    // Resident time.
    ([.date: Exchange.httpDate(0)], 0, 0, 10, 10),
    // Apparent age: it was generated before it arrived.
    ([.date: Exchange.httpDate(-20)], 0, 0, 10, 30),
    // A server's clock that is ahead gives no negative age.
    ([.date: Exchange.httpDate(60)], 0, 0, 10, 10),
    // The delay of the response is added to Age.
    ([.date: Exchange.httpDate(0), .age: "30"], 0, 4, 10, 40),
    // The greater of the two is used.
    ([.date: Exchange.httpDate(-50), .age: "30"], 0, 4, 4, 54),
    ([.date: Exchange.httpDate(0), .age: "30, 99"], 0, 0, 0, 30),
    ([.date: Exchange.httpDate(0), .age: "-5"], 0, 0, 0, 0),
    ([.date: Exchange.httpDate(0), .age: "x"], 0, 0, 0, 0),
    // Without Date its age is the time since its arrival.
    ([:], 0, 2, 10, 10),
    ([.date: "yesterday"], 0, 0, 10, 10),
    // A clock that was set back.
    ([.date: Exchange.httpDate(0), .age: "7"], 0, 0, -100, 7),
  ]

  @Test(arguments: ages.indices)
  func `4.2.3: the age is the server's plus the delay and the time in the cache`(index: Int) {
    let row = Self.ages[index]
    let stored = Exchange.stored(row.headers, asked: row.asked, arrived: row.arrived)

    #expect(stored.age(at: Exchange.date(row.now)) == .seconds(row.age))
  }

  @Test(arguments: [TimeInterval.infinity, -.infinity, 1e300])
  func `dates that no clock has, from a damaged file, are compared`(_ seconds: TimeInterval) {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let stored = StoredResponse(
      Exchange.response(), selectingHeaders: [:], requestDate: date, responseDate: date)

    #expect(stored.age(at: date) == .zero)
    #expect(stored.age(at: Exchange.start) >= .zero)
  }

  static let lifetimes: [(headers: Headers, status: Status, seconds: Int)] = [
    ([.cacheControl: "max-age=60"], 200, 60),
    ([.cacheControl: "max-age=60", .expires: Exchange.httpDate(5)], 200, 60),
    // For shared caches only.
    ([.cacheControl: "s-maxage=60, max-age=5"], 200, 5),
    ([.cacheControl: "s-maxage=60"], 200, 0),
    ([.expires: Exchange.httpDate(30), .date: Exchange.httpDate(0)], 200, 30),
    ([.expires: Exchange.httpDate(30), .date: Exchange.httpDate(-30)], 200, 60),
    ([.expires: Exchange.httpDate(-30), .date: Exchange.httpDate(0)], 200, 0),
    ([.expires: "0"], 200, 0),
    ([.expires: "0", .lastModified: Exchange.httpDate(-1000)], 200, 0),
    // 4.2.2: a tenth of the time since the last change.
    ([.lastModified: Exchange.httpDate(-1000), .date: Exchange.httpDate(0)], 200, 100),
    ([.lastModified: Exchange.httpDate(-1000), .date: Exchange.httpDate(0)], 404, 100),
    ([.lastModified: Exchange.httpDate(-100_000_000), .date: Exchange.httpDate(0)], 200, 86_400),
    ([.lastModified: Exchange.httpDate(1000), .date: Exchange.httpDate(0)], 200, 0),
    ([.lastModified: Exchange.httpDate(-1000), .date: Exchange.httpDate(0)], 302, 0),
    (
      [
        .lastModified: Exchange.httpDate(-1000), .date: Exchange.httpDate(0),
        .cacheControl: "public",
      ],
      302, 100
    ),
    ([:], 200, 0),
  ]

  @Test(arguments: lifetimes.indices)
  func `4.2.1: the lifetime is explicit or heuristic`(index: Int) {
    let row = Self.lifetimes[index]

    #expect(Exchange.stored(row.headers, row.status).freshnessLifetime == .seconds(row.seconds))
  }

  @Test func `a clock that was set back extends no lifetime`() {
    let stored = Exchange.stored([.cacheControl: "max-age=10"])

    // HTTP counts in seconds.
    #expect(stored.staleness(at: Exchange.date(-1)) < .zero)
    #expect(stored.staleness(at: Exchange.date(-2)) >= .zero)
    #expect(stored.staleness(at: Exchange.date(-1000)) >= .zero)
  }

  @Test func `4.2: at the end of its lifetime a response is stale`() {
    let stored = Exchange.stored([.cacheControl: "max-age=10"])

    #expect(stored.staleness(at: Exchange.date(9)) < .zero)
    #expect(stored.staleness(at: Exchange.date(10)) >= .zero)
    #expect(stored.staleness(at: Exchange.date(13)) == .seconds(3))
  }
}
