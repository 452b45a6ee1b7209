import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Clients that are drained before they are closed.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DrainTests {
  private let service = StubbedService()
  private let gate = Gate()
  /// On the manual clock each load sleeps until its idle limit, and a drain until its end.
  private let resource = Resource.text(Request.get("/").idleTimeout(.seconds(60)))

  @Test func `loads under way end, new ones don't begin`() async throws {
    service.transport.stub("*", .json("ok").waiting(for: gate))
    let client = try service.client()

    let loads = (0..<3).map { _ in client.promise(for: resource) }
    try await service.transport.waitForRequests(count: 3)
    let drained = Promise { await client.drain(within: .seconds(10)) }
    try await service.clock.waitForSleepers(count: 3 + 1)
    let late = await #expect(throws: LoadError.self) { try await client.load(resource) }
    gate.open()

    #expect(try await Promise.all(loads).get() == ["ok", "ok", "ok"])
    #expect(try await drained.get() == 0)
    #expect(late?.kind == .closed)
    #expect(service.transport.requests.count == 3)
  }

  @Test func `what is still under way at the limit is cut off`() async throws {
    service.transport.stub("*", .json("ok").waiting(for: gate))
    let client = try service.client()

    let load = client.promise(for: resource)
    try await service.transport.waitForRequests(count: 1)
    let drained = Promise { await client.drain(within: .seconds(10)) }
    try await service.clock.waitForSleepers(count: 1 + 1)
    service.clock.advance(by: .seconds(10))

    #expect(try await drained.get() == 1)
    let error = await #expect(throws: LoadError.self) { try await load.get() }
    #expect(error?.kind == .closed)
  }

  @Test func `an idle client is drained at once, and again`() async throws {
    let client = try service.client()

    #expect(await client.drain(within: .seconds(10)) == 0)
    #expect(await client.drain(within: .seconds(10)) == 0)
  }

  @Test func `a cancelled drain closes at once`() async throws {
    service.transport.stub("*", .json("ok").waiting(for: gate))
    let client = try service.client()

    let load = client.promise(for: resource)
    try await service.transport.waitForRequests(count: 1)
    let drained = Promise { await client.drain(within: .seconds(10)) }
    try await service.clock.waitForSleepers(count: 1 + 1)
    drained.cancel()

    await #expect(throws: LoadError.self) { try await load.get() }
  }
}
