import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RateLimitTests {
  private let service = StubbedService()
  private var transport: StubTransport { service.transport }
  private var events: EventLog { service.events }
  private var clock: ManualClock { service.clock }

  @Test func `no more requests than the limit are sent in its time`() async throws {
    transport.stub("*", .json("ok"))
    let client = try service.client(RateLimitMiddleware(3, per: .seconds(10)))

    let loads = (0..<8).map { _ in client.promise(for: Resource.text(.get("/"))) }
    try await events.wait(for: 5, "queued")
    var counts: [Int] = []
    for sent in [3, 6, 8] {
      try await transport.waitForRequests(count: sent)
      if sent < 8 { try await clock.waitForSleepers(count: 1, within: .seconds(10)) }
      counts.append(transport.requests.count)
      clock.advance(by: .seconds(10))
    }

    #expect(counts == [3, 6, 8])
    _ = try await Promise.all(loads).get()
  }

  @Test func `each host has its own rate, unless they share one`() async throws {
    transport.stub("*", .json("ok"))
    let apart = try service.client(RateLimitMiddleware(1, per: .seconds(10)))
    let together = try service.client(RateLimitMiddleware(1, per: .seconds(10), of: .allHosts))

    _ = try await apart.load(.text(.get("/")))
    _ = try await apart.load(service.other())
    _ = try await together.load(.text(.get("/")))
    let waiting = together.promise(for: try service.other())
    try await clock.waitForSleepers(count: 1, within: .seconds(10))
    clock.advance(by: .seconds(10))

    #expect(try await waiting.get() == "ok")
  }

  @Test func `a cancelled load doesn't use up a turn`() async throws {
    transport.stub("*", .json("ok"))
    let client = try service.client(RateLimitMiddleware(1, per: .seconds(10)))

    _ = try await client.load(.text(.get("/0")))
    let loads = try await (1...4).asyncMap { index in
      let load = client.promise(for: Resource.text(.get("/\(index)")))
      try await events.wait(for: index, "queued")
      return load
    }
    try await clock.waitForSleepers(count: 1, within: .seconds(10))
    loads[0].cancel()
    loads[2].cancel()
    try await events.wait(for: 2, "failed")
    for index in [1, 3] {
      try await clock.waitForSleepers(count: 1, within: .seconds(10))
      clock.advance(by: .seconds(10))
      #expect(try await loads[index].get() == "ok")
    }

    #expect(transport.requests.map { $0.url.path() } == ["/0", "/2", "/4"])
  }

  @Test func `waiting for a turn ends with the load's time`() async throws {
    transport.stub("*", .json("ok"))
    let client = try service.client(
      RateLimitMiddleware(1, per: .seconds(60)), timeout: .seconds(10))

    _ = try await client.load(.text(.get("/")))
    let late = client.promise(for: Resource.text(.get("/")))
    try await clock.waitForSleepers(count: 1, within: .seconds(10))
    clock.advance(by: .seconds(10))

    let error = await #expect(throws: LoadError.self) { try await late.get() }
    #expect(error?.kind == .timedOut)
  }

  @Test func `every attempt counts`() async throws {
    transport.stub("*", .status(503), .json("ok"))
    let client = try service.client(
      RetryMiddleware(RetryPolicy(maximumAttempts: 2, backoff: .none)),
      RateLimitMiddleware(1, per: .seconds(10)))

    let load = client.promise(for: Resource.text(.get("/")))
    try await transport.waitForRequests(count: 1)
    try await events.wait(for: 1, "queued")
    try await clock.waitForSleepers(count: 1, within: .seconds(10))
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(10))

    #expect(try await load.get() == "ok")
  }
}

extension Sequence {
  fileprivate func asyncMap<T>(_ body: (Element) async throws -> T) async rethrows -> [T] {
    var mapped: [T] = []
    for element in self { mapped.append(try await body(element)) }
    return mapped
  }
}
