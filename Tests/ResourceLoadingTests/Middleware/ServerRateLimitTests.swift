import Foundation
import PromiseModule
import ResourcePrimitives
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@testable import ResourceLoading

/// Requests within the limits that servers announce.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ServerRateLimitTests {
  private typealias Limit = ServerRateLimits.Limit
  private let service = StubbedService()

  @Test(
    arguments: [
      (
        [("RateLimit", #""default";r=50;t=30"#)],
        [Limit(name: "default", remaining: 50, reset: .seconds(30))]
      ),
      (
        [
          ("RateLimit", #""b";r=1;t=2, "d";r=9;t=8"#),
          ("RateLimit-Policy", #""b";q=5;w=3, "d";q=10;w=60"#),
        ],
        [
          Limit(name: "b", remaining: 1, reset: .seconds(2), quota: 5, window: .seconds(3)),
          Limit(name: "d", remaining: 9, reset: .seconds(8), quota: 10, window: .seconds(60)),
        ]
      ),
      // Without a time it is that of the policy's window.
      (
        [("RateLimit", #""p";r=0"#), ("RateLimit-Policy", #""p";q=5;w=3"#)],
        [Limit(name: "p", remaining: 0, reset: .seconds(3), quota: 5, window: .seconds(3))]
      ),
      (
        [("RateLimit", "limit=100, remaining=7, reset=5")],
        [Limit(remaining: 7, reset: .seconds(5), quota: 100)]
      ),
      (
        [
          ("RateLimit-Limit", "100, 100;w=60"), ("RateLimit-Remaining", "3"),
          ("RateLimit-Reset", "9"),
        ],
        [Limit(remaining: 3, reset: .seconds(9), quota: 100)]
      ),
      (
        [
          ("X-RateLimit-Limit", "60"), ("X-RateLimit-Remaining", "0"),
          ("X-RateLimit-Reset", "1000000042"),
        ],
        [Limit(remaining: 0, reset: .seconds(42), quota: 60)]
      ),
      (
        [("x-rate-limit-remaining", "4"), ("x-rate-limit-reset", "12")],
        [Limit(remaining: 4, reset: .seconds(12))]
      ),
      (
        [
          ("X-RateLimit-Remaining", "1"), ("X-RateLimit-Reset", "1000000009"),
          ("X-RateLimit-Reset-After", "1.5"),
        ],
        [Limit(remaining: 1, reset: .milliseconds(1500))]
      ),
      (
        [("RateLimit", "nonsense"), ("X-RateLimit-Remaining", "many"), ("X-RateLimit-Reset", "1")],
        []
      ),
      // Numbers that fit no integer and no duration.
      (
        [
          ("X-RateLimit-Limit", "-99999999999999999999"),
          ("X-RateLimit-Remaining", "-99999999999999999999"),
          ("X-RateLimit-Reset", "-1" + String(repeating: "0", count: 40)),
        ],
        [Limit(remaining: 0, reset: .zero, quota: 0)]
      ),
    ] as [([(String, String)], [ServerRateLimits.Limit])])
  func `announced limits are read`(_ fields: [(String, String)], _ limits: [ServerRateLimits.Limit])
    throws
  {
    var response = Response(
      url: try #require(URL(string: "https://example.org/")), method: .get, status: 200)
    for (name, value) in fields { response.headers.append(Headers.Name(rawValue: name), value) }

    // One second after a billion since 1970.
    let found = ServerRateLimits.announced(
      in: response, at: Date(timeIntervalSince1970: 1_000_000_000))

    #expect(found == limits)
  }

  @Test func `a refusal with Retry-After stops the others, too`() throws {
    var response = Response(
      url: try #require(URL(string: "https://example.org/")), method: .get, status: 429)
    response.headers[.retryAfter] = "7"

    let found = ServerRateLimits.announced(in: response, at: Date())

    #expect(found.map(\.reset) == [.seconds(7)] && found.map(\.remaining) == [0])
  }

  @Test func `of a server that names ever more policies those that end last are kept`() throws {
    var limits = ServerRateLimits()
    let origin = try #require(URL(string: "https://example.org")).origin
    func begins() -> Int? {
      if case .begins(let number) = limits.begin(origin, at: .zero, maximumWait: .seconds(60)) {
        number
      } else {
        nil
      }
    }
    func end(_ number: Int, _ names: Range<Int>, _ remaining: Int, _ seconds: Int) {
      let announced = names.map { name in
        Limit(name: "\(name)", remaining: remaining, reset: .seconds(seconds))
      }
      limits.end(number, origin, announced, at: .zero)
    }

    let (first, second) = (try #require(begins()), try #require(begins()))
    end(first, 0..<1, 0, 30)
    #expect(begins() == nil)
    // The one that holds up requests is forgotten.
    end(second, 1..<1_000, 5, 40)
    let number = try #require(begins())
    end(number, 1_000..<1_001, 0, 50)

    #expect(begins() == nil)
  }

  @Test func `no more requests are sent than are left, and the next window has its own`()
    async throws
  {
    let client = try service.client(ServerRateLimitMiddleware())
    let (first, second) = (Gate(), Gate())
    let answers = (0..<10).map { sent in
      let answer = StubAnswer.response(
        headers: [
          "RateLimit": "\"p\";r=\(4 - sent % 5);t=10", "RateLimit-Policy": "\"p\";q=5;w=10",
        ],
        body: Data("ok".utf8))
      return sent == 0 ? answer : answer.waiting(for: sent < 5 ? first : second)
    }
    let rest = Mutex(answers[...])
    service.transport.stub("*") { _ in rest.withLock { $0.popFirst() } ?? .status(.badRequest) }

    _ = try await client.load(.text(.get("/")))
    let loads = (0..<9).map { _ in client.promise(for: Resource.text(.get("/"))) }
    try await service.transport.waitForRequests(count: 5)
    try await service.clock.waitForSleepers(count: 5, within: .seconds(10))
    let count = service.transport.requests.count
    // The time that a response announces is counted from its arrival.
    first.open()
    try await service.events.wait(for: 5, "parsed")
    service.clock.advance(by: .seconds(10))
    try await service.transport.waitForRequests(count: 10)
    second.open()
    _ = try await Promise.all(loads).get()

    #expect(count == 5)
    #expect(service.transport.requests.count == 10)
  }

  @Test func `a response that arrives late doesn't raise what is left`() throws {
    let origin = try #require(URL(string: "https://example.org/")).origin
    var limits = ServerRateLimits()
    func left(_ remaining: Int) -> [Limit] {
      [Limit(name: "p", remaining: remaining, reset: .seconds(10), quota: 5, window: .seconds(10))]
    }
    func begin(at now: Duration) -> ServerRateLimits.Turn {
      limits.begin(origin, at: now, maximumWait: .seconds(60))
    }
    for number in 1...3 { #expect(begin(at: .zero) == .begins(number)) }

    limits.end(2, origin, left(0), at: .zero)
    limits.end(1, origin, left(2), at: .milliseconds(300))

    // Both say the same in whole seconds, of which the later one is safe.
    #expect(begin(at: .milliseconds(300)) == .waits(.seconds(10)))
    // The next window's response counts, even if it comes early.
    limits.end(3, origin, left(4), at: .seconds(8))
    #expect(begin(at: .seconds(8)) == .begins(4))
  }

  @Test func `a late response of an earlier window says nothing about the next one`() throws {
    let origin = try #require(URL(string: "https://example.org/")).origin
    var limits = ServerRateLimits()
    func exhausted(for reset: Duration) -> [Limit] {
      [Limit(name: "p", remaining: 0, reset: reset, quota: 5, window: .seconds(10))]
    }
    func begin(at now: Duration) -> ServerRateLimits.Turn {
      limits.begin(origin, at: now, maximumWait: .seconds(60))
    }
    for number in 1...2 { #expect(begin(at: .zero) == .begins(number)) }
    limits.end(1, origin, exhausted(for: .seconds(1)), at: .zero)
    #expect(begin(at: .zero) == .waits(.seconds(1)))

    #expect(begin(at: .seconds(1)) == .begins(3))
    limits.end(2, origin, exhausted(for: .zero), at: .milliseconds(1200))

    for number in 4...7 { #expect(begin(at: .milliseconds(1200)) == .begins(number)) }
    #expect(begin(at: .milliseconds(1200)) == .waits(.milliseconds(9800)))
    // What was requested in this window counts, even if it ends earlier.
    limits.end(7, origin, exhausted(for: .seconds(2)), at: .seconds(2))
    #expect(begin(at: .seconds(2)) == .waits(.seconds(2)))
  }

  @Test(arguments: [0, -5])
  func `windows that allow no request don't hold up requests forever`(_ quota: Int) throws {
    let origin = try #require(URL(string: "https://example.org/")).origin
    var limits = ServerRateLimits()
    func begin(at now: Duration) -> ServerRateLimits.Turn {
      limits.begin(origin, at: now, maximumWait: .seconds(60))
    }
    let nothing = Limit(
      name: "p", remaining: quota, reset: .seconds(1), quota: quota, window: .seconds(1))

    #expect(begin(at: .zero) == .begins(1))
    limits.end(1, origin, [nothing], at: .zero)

    #expect(begin(at: .zero) == .waits(.seconds(1)))
    #expect(begin(at: .seconds(1)) == .begins(2))
  }

  @Test func `other hosts don't wait, nor do requests that would wait for too long`() async throws {
    let client = try service.client(ServerRateLimitMiddleware(maximumWait: .seconds(5)))
    let exhausted = StubAnswer.response(
      headers: ["RateLimit": "\"p\";r=0;t=10"], body: Data("ok".utf8))
    service.transport.stub("*", exhausted)

    for _ in 0..<2 { _ = try await client.load(.text(.get("/"))) }
    _ = try await client.load(service.other())

    #expect(service.transport.requests.count == 3)
    #expect(service.events.count(of: "queued") == 0)
  }
}
