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
  /// On the manual clock each load sleeps until its idle limit, which is later than a drain's.
  private let resource = Resource.text(Request.get("/").idleTimeout(.seconds(60)))

  @Test func `loads under way end, new ones don't begin`() async throws {
    service.transport.stub("*", .json("ok").waiting(for: gate))
    let client = try service.client()

    let loads = (0..<3).map { _ in client.promise(for: resource) }
    try await service.transport.waitForRequests(count: 3)
    let drained = Promise { await client.drain(within: .seconds(10)) }
    try await service.clock.waitForSleepers(count: 1, within: .seconds(10))
    let late = await #expect(throws: LoadError.self) { try await client.load(resource) }
    gate.open()

    #expect(try await Promise.all(loads).get() == ["ok", "ok", "ok"])
    #expect(try await drained.get() == 0)
    #expect(late?.kind == .closed)
    #expect(service.transport.requests.count == 3)
  }

  @Test func `a stream that is being read, and a retry, get their time`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("/stream") { [gate] _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .chunk("one\n"),
          .wait(gate), .chunk("two\n"), .lastChunk(),
        ]
      }
      LoopbackRoute("/busy", .response(status: 503), .response(body: "at last"))
    }
    defer { server.stop() }
    let client = Client(baseURL: server.url()) {
      $0.middleware = [RetryMiddleware()]
      $0.clock = service.clock
      $0.observer = service.events.note
    }

    let stream = try await client.stream(.get("/stream"))
    var lines = stream.lines.makeAsyncIterator()
    let first = try await lines.next()
    let retried = client.promise(for: Resource.text(.get("/busy")))
    try await service.events.wait(for: 1, "retrying")
    let drained = Promise { await client.drain(within: .seconds(100)) }
    try await service.clock.waitForSleepers(count: 1, within: .seconds(10))
    try await service.clock.waitForSleepers(count: 3, within: .seconds(100))
    service.clock.advance(by: .seconds(10))
    let answer = try await retried.get()
    gate.open()
    let others = [try await lines.next(), try await lines.next()]

    #expect(first == "one" && answer == "at last" && others == ["two", nil])
    #expect(try await drained.get() == 0)
  }

  @Test func `what is still under way at the limit is cut off`() async throws {
    service.transport.stub("*", .json("ok").waiting(for: gate))
    let client = try service.client()

    let load = client.promise(for: resource)
    try await service.transport.waitForRequests(count: 1)
    let drained = Promise { await client.drain(within: .seconds(10)) }
    try await service.clock.waitForSleepers(count: 1, within: .seconds(10))
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
    try await service.clock.waitForSleepers(count: 1, within: .seconds(10))
    drained.cancel()

    await #expect(throws: LoadError.self) { try await load.get() }
  }
}
