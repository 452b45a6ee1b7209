import Foundation
import PromiseModule
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// Limits that follow the latency of a host.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct AdaptiveLimitTests {
  /// Responses of a server that works on 40 requests at a time, each for 10 ms; further ones wait.
  private func converge(_ limit: inout AdaptiveLimit, capacity: Double, rounds: Int = 2000) {
    for _ in 0..<rounds {
      let inFlight = limit.limit
      let latency = 0.01 * max(1, Double(inFlight) / capacity)
      limit.adapt(to: .latency(.seconds(latency)), inFlight: inFlight)
    }
  }

  @Test func `the limit grows to what the server can do, and follows when it can do less`() {
    var limit = AdaptiveLimit(1...500)
    converge(&limit, capacity: 40)
    let much = limit.limit
    converge(&limit, capacity: 10, rounds: 60)
    let little = limit.limit

    // Somewhat more than it works on: a few wait in the server.
    #expect(much >= 40 && much <= 120, "\(much)")
    #expect(little < much / 2, "\(little)")
  }

  @Test func `a limit that isn't in use stays, and one of an overload shrinks by a tenth`() {
    var limit = AdaptiveLimit(2...100)
    for _ in 0..<100 { limit.adapt(to: .latency(.milliseconds(1)), inFlight: 3) }
    let unused = limit.limit
    limit.adapt(to: .overload, inFlight: 3)
    let once = limit.limit
    for _ in 0..<100 { limit.adapt(to: .overload, inFlight: 3) }

    #expect(unused == 20 && once == 18 && limit.limit == 2)
  }

  @Test func `waiting requests enter when the limit grows`() {
    let host = Origin(scheme: "http", host: "a", port: 80)
    var limiter = ConcurrencyLimiter<Int>(perHost: 1, total: nil)
    let first = limiter.enter(host)
    let tickets = (1...4).map { limiter.wait(for: host, $0) }

    #expect(first != nil)
    #expect(limiter.setLimit(3, of: host) == [1, 2])
    #expect(limiter.inFlight(to: host) == 3)
    #expect(limiter.setLimit(1, of: host) == [])
    #expect(first.map { limiter.leave($0) } == .some(nil))
    #expect(limiter.leave(tickets[0]) == nil)
    #expect(limiter.leave(tickets[1]) == 3)
  }

  @Test func `how long a stream lasts says nothing about the latency of a host`() async throws {
    let service = StubbedService()
    let client = try service.client(ConcurrencyLimitMiddleware(adaptingRequestsPerHost: 1...1))
    let (first, second) = (Gate(), Gate())
    service.transport.stub("/stream", .json("ok").waiting(for: first))
    service.transport.stub("/", .json("ok").waiting(for: second))
    let request = Request.get("/").timeout(.seconds(10))

    let stream = Task {
      for try await _ in try await client.stream(.get("/stream")) {}
    }
    try await service.transport.waitForRequests(count: 1)
    service.clock.advance(by: .seconds(50))
    first.open()
    try await stream.value
    let loads = (0..<2).map { _ in client.promise(for: Resource.text(request)) }
    try await service.events.wait(for: 1, "queued")
    second.open()

    #expect(try await Promise.all(loads).get() == ["ok", "ok"])
  }

  @Test func `a host that is too busy gets fewer requests at once`() async throws {
    let service = StubbedService()
    let client = try service.client(ConcurrencyLimitMiddleware(adaptingRequestsPerHost: 1...10))
    let gate = Gate()
    service.transport.stub("*", .status(503))
    for _ in 0..<60 { try? await client.load(.void(.get("/"))) }
    service.transport.stub("*", .json("ok").waiting(for: gate))

    let loads = (0..<8).map { _ in client.promise(for: Resource.text(.get("/"))) }
    try await service.events.wait(for: 7, "queued")
    let inFlight = service.transport.inFlight
    gate.open()

    #expect(inFlight == 1)
    #expect(try await Promise.all(loads).get().count == 8)
  }
}
