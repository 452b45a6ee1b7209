import Foundation
import PromiseModule
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// Requests to a host that fails.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CircuitBreakerTests {
  private let service = StubbedService()

  private static let rule: @Sendable (inout CircuitBreakerMiddleware.Rule) -> Void = { rule in
    rule.minimumRequests = 4
    rule.window = .seconds(10)
    rule.pause = .seconds(2)
    rule.maximumPause = .seconds(6)
  }

  /// One letter each: a success, a failure, an unknown outcome, or a second that passes; and what
  /// has become of the circuit by then.
  @Test(arguments: [
    ("sfsf", "...O"), ("fff", "..."), ("ffff", "...O"), ("sssfff", ".....O"),
    // What has left the window doesn't count.
    ("fff+++++++++++f", "..............."), ("fff+++++f", "........O"),
    ("ffff+s", "...O.."), ("ffff++s", "...O..C"), ("ffff++f++", "...O..O.."),
    ("ffff++f+++s", "...O..O...."), ("ffff++f++++s", "...O..O....C"),
    ("ffff++f++++f++++++s", "...O..O....O......C"),
    // A cancelled probe is followed by another one.
    ("ffff++us", "...O...C"), ("uuuuuu", "......"),
  ])
  func `a circuit opens, and closes after a probe that succeeds`(_ steps: String, _ changes: String)
  {
    var rule = CircuitBreakerMiddleware.Rule()
    Self.rule(&rule)
    var (breaker, now, found) = (CircuitBreaker(rule), Duration.zero, "")
    for step in steps {
      var change: LoadEvent.CircuitState?
      if step == "+" {
        now += .seconds(1)
      } else if case .passes(let pass) = breaker.admit(at: now) {
        let outcome: CircuitBreaker.Outcome =
          switch step {
          case "s": .success
          case "f": .failure
          default: .unknown
          }
        change = breaker.record(outcome, of: pass, at: now)
      }
      found += change.map { $0 == .open ? "O" : "C" } ?? "."
    }
    #expect(found == String(changes.prefix(steps.count)))
  }

  @Test func `a stream as a probe is followed by another one, and any other isn't`() throws {
    var rule = CircuitBreakerMiddleware.Rule()
    Self.rule(&rule)
    var breaker = CircuitBreaker(rule)
    func pass(at seconds: Int, lasts: Bool = false) -> CircuitBreaker.Pass? {
      let admission = breaker.admit(at: .seconds(seconds), lasts: lasts)
      return if case .passes(let pass) = admission { pass } else { nil }
    }
    for _ in 0..<4 {
      let failing = try #require(pass(at: 0))
      _ = breaker.record(.failure, of: failing, at: .zero)
    }

    let stream = try #require(pass(at: 2, lasts: true))
    let early = pass(at: 3)
    let second = try #require(pass(at: 4))
    let third = pass(at: 60)
    let change = breaker.record(.success, of: second, at: .seconds(4))
    let late = breaker.record(.failure, of: stream, at: .seconds(5))

    #expect(early == nil && stream.isProbe && second.isProbe && third == nil)
    #expect(change == .closed && late == nil)
    #expect(pass(at: 5)?.isProbe == false)
  }

  @Test func `loads that follow a stream get through although it probes the circuit`() async throws
  {
    let client = try service.client(CircuitBreakerMiddleware(Self.rule))
    let gate = Gate()
    service.transport.stub("*", .status(503))
    service.transport.stub("/stream", .json("ok").waiting(for: gate))
    service.transport.stub("/good", .json("ok"))

    for _ in 0..<4 { try? await client.load(.void(.get("/"))) }
    service.clock.advance(by: .seconds(2))
    let stream = Task { try await client.stream(.get("/stream")) }
    try await service.transport.waitForRequests(count: 5)
    service.clock.advance(by: .seconds(2))
    let answer = try await client.load(.text(.get("/good")))
    gate.open()

    #expect(answer == "ok")
    #expect(service.events.count(of: "circuit closed") == 1)
    _ = try await stream.value
  }

  @Test func `loads fail at once while the circuit is open, and say why`() async throws {
    let client = try service.client(
      RetryMiddleware(RetryPolicy(maximumAttempts: 3)), CircuitBreakerMiddleware(Self.rule))
    service.transport.stub("*", .status(500))
    service.transport.stub("/good", .json("ok"))
    // None that is sent again.
    let failing = Resource.text(Request(.post, "/"))

    for _ in 0..<4 { await #expect(throws: LoadError.self) { try await client.load(failing) } }
    let refused = await #expect(throws: LoadError.self) {
      try await client.load(.text(.get("/good")))
    }
    let sent = service.transport.requests.count
    service.clock.advance(by: .seconds(2))
    let answer = try await client.load(.text(.get("/good")))

    #expect(refused?.kind == .circuitOpen)
    #expect(
      refused?.reason
        == "the circuit of api.example.org is open, because 4 of the last 4 requests failed; the next probe is in 2.00 s"
    )
    #expect(sent == 4 && answer == "ok")
    #expect(service.events.count(of: "circuit open") == 1)
    #expect(service.events.count(of: "circuit half open") == 1)
    #expect(service.events.count(of: "circuit closed") == 1)
  }

  @Test func `each host has a circuit, and only one probe is sent`() async throws {
    let (client, gate) = (try service.client(CircuitBreakerMiddleware(Self.rule)), Gate())
    service.transport.stub("*") {
      $0.url.host() == "other.example.org" ? .json("ok") : .status(503)
    }
    service.transport.stub("/probe", .json("ok").waiting(for: gate))

    for _ in 0..<4 { try? await client.load(.void(.get("/"))) }
    let other = try await client.load(service.other())
    service.clock.advance(by: .seconds(2))
    let probe = client.promise(for: Resource.text(.get("/probe")))
    _ = try await service.transport.waitForRequests(count: 6)
    let refused = await #expect(throws: LoadError.self) {
      try await client.load(.text(.get("/probe")))
    }
    gate.open()

    #expect(try await probe.get() == "ok" && other == "ok")
    #expect(refused?.kind == .circuitOpen)
    #expect(refused?.reason.hasSuffix("a probe is under way") == true)
  }

  @Test func `a load that runs out of time counts, a cancelled one doesn't`() async throws {
    let gate = Gate()
    let client = try service.client(CircuitBreakerMiddleware(Self.rule), timeout: .seconds(5))
    service.transport.stub("*", .json("ok").waiting(for: gate))

    for round in 1...2 {
      let loads = (0..<4).map { _ in client.promise(for: Resource.text(.get("/"))) }
      _ = try await service.transport.waitForRequests(count: 4 * round)
      if round == 1 { for load in loads { load.cancel() } }
      try await service.clock.waitForSleepers(count: round == 1 ? 0 : 4, within: .seconds(5))
      if round == 2 { service.clock.advance(by: .seconds(5)) }
      for load in loads { await #expect(throws: (any Error).self) { try await load.get() } }
      try await service.events.wait(for: 4 * round, "failed")
      #expect(service.events.count(of: "circuit open") == round - 1)
    }
  }
}
