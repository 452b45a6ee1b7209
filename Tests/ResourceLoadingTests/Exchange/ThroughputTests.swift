import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Default limits, and the limit of a client's memory.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ThroughputTests {
  @Test func `a client has limits by default`() {
    let configuration = Client.Configuration()

    #expect(configuration.options.idleTimeout == .seconds(60))
    #expect(configuration.options.minimumThroughput == .init(bytes: 1024, per: .seconds(60)))
    #expect(configuration.maximumMemory == 512 << 20)
    #expect(configuration.maximumRequests == 64)
  }

  @Test(arguments: Engine.allCases)
  func `a body that arrives too slowly fails the load, though it is never idle`(
    _ engine: Engine
  ) async throws {
    let (clock, drips, arrivals) = (ManualClock(), [Gate(), Gate()], [Gate(), Gate(), Gate()])
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [
          .bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"),
          .bytes(String(repeating: "x", count: 2000)), .wait(drips[0]), .bytes("y"),
          .wait(drips[1]), .bytes("y"), .silence,
        ]
      }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) { $0.clock = clock }
    let resource = Resource.data(.get("/")).onProgress { step in
      if step.completed >= 2000 { arrivals[step.completed - 2000].open() }
    }
    let load = Task { try await client.load(resource) }

    // Enough in the first minute, and one byte in the second.
    try await arrivals[0].opened()
    try await clock.waitForSleepers(count: 1, within: .seconds(60))
    clock.advance(by: .seconds(40))
    drips[0].open()
    try await arrivals[1].opened()
    clock.advance(by: .seconds(20))
    try await clock.waitForSleepers(count: 1, within: .seconds(60))
    clock.advance(by: .seconds(20))
    drips[1].open()
    try await arrivals[2].opened()
    clock.advance(by: .seconds(20))
    try await clock.waitForSleepers(count: 1, within: .seconds(20))
    clock.advance(by: .seconds(20))
    let error = await #expect(throws: LoadError.self) { try await load.value }

    #expect(error?.kind == .timedOut)
    #expect(error?.reason == "only 1 bytes of the body arrived in 60.0 seconds")
  }

  @Test(arguments: Engine.allCases)
  func `the error of a slow body names the bytes and the time`(_ engine: Engine) async throws {
    let (clock, arrived) = (ManualClock(), Gate())
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n0123456789"), .silence]
      }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) {
      $0.clock = clock
      $0.options.minimumThroughput = .init(bytes: 11, per: .seconds(5))
    }
    let load = Task {
      try await client.load(.data(.get("/")).onProgress { _ in arrived.open() })
    }

    try await arrived.opened()
    try await clock.waitForSleepers(count: 1, within: .seconds(5))
    clock.advance(by: .seconds(5))
    let error = await #expect(throws: LoadError.self) { try await load.value }

    #expect(error?.kind == .timedOut)
    #expect(error?.reason == "only 10 bytes of the body arrived in 5.0 seconds")
  }

  @Test
  func `a load without a limit ends after a day, and sets no further timer`()
    async throws
  {
    let (clock, transport) = (ManualClock(), StubTransport())
    transport.stub("*", .never)
    let client = Client(baseURL: nowhere) {
      $0.transport = transport
      $0.clock = clock
      $0.options.idleTimeout = nil
      $0.options.minimumThroughput = nil
    }
    let load = client.promise(for: Resource.data(.get("/")))

    try await clock.waitForSleepers(count: 1)
    #expect(clock.sleepers == 1)
    #expect(clock.advanceToNextDeadline() == .seconds(86_400))
    let error = await #expect(throws: LoadError.self) { try await load.get() }

    #expect(error?.kind == .timedOut)
    #expect(error?.reason == "the load took longer than its limit of 86400.0 seconds")
  }

  @Test func `what was left of a deadline is told to the millisecond`() async throws {
    let (clock, transport) = (ManualClock(), StubTransport())
    transport.stub("*", .never)
    let client = Client(baseURL: nowhere) {
      $0.transport = transport
      $0.clock = clock
    }
    var resource = Resource.data(.get("/"))
    resource.request.options.timeout = .nanoseconds(3_999_885_264)
    let load = client.promise(for: resource)

    try await clock.waitForSleepers(count: 1, within: .seconds(4))
    clock.advance(by: .seconds(4))
    let error = await #expect(throws: LoadError.self) { try await load.get() }

    #expect(error?.reason == "the load took longer than its limit of 4.0 seconds")
  }

  @Test func `bodies in memory don't exceed the client's limit`() async throws {
    let (transport, gate) = (StubTransport(), Gate())
    transport.stub("*", .response(body: Data(count: 200_000)))
    let client = Client(baseURL: nowhere) {
      $0.transport = transport
      $0.maximumMemory = 300_000
    }
    let held = Resource(.get("/")) { response in
      gate.blockUntilOpen()
      return response.body.count
    }
    let first = Task { try await client.load(held) }
    try await gate.waitForArrivals(count: 1)

    let error = await #expect(throws: LoadError.self) { try await client.load(.data(.get("/"))) }
    gate.open()
    let size = try await first.value
    let later = try await client.load(.data(.get("/"))).count

    #expect(error?.kind == .tooLarge)
    #expect(size == 200_000 && later == 200_000)
  }

  @Test func `memory of a failed load is returned, and small bodies aren't counted`()
    async throws
  {
    let transport = StubTransport()
    transport.stub("/large", .response(body: Data(count: 200_000)))
    transport.stub("/huge", .response(body: Data(count: 400_000)))
    transport.stub("/small", .response(body: Data(count: 60_000)))
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.maximumMemory = 300_000
    }

    for _ in 0..<10 {
      #expect(try await client.load(.data(.get("/large"))).count == 200_000)
      await #expect(throws: LoadError.self) { try await client.load(.data(.get("/huge"))) }
      await #expect(throws: LoadError.self) {
        try await client.load(.data(.get("/large").maximumBodySize(1000)))
      }
    }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await client.load(.data(.get("/small"))).count } }
      for try await count in group { #expect(count == 60_000) }
    }
  }
}
