import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// An open socket isn't a load any more, but ends with its client.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SocketEndTests {
  private let service = StubbedService()

  private func connect(
    with client: Client, _ request: Request = .get("/live")
  ) async throws -> WebSocket.Connection {
    service.transport.stub("/live", .socket(.receive { [.send($0)] }))
    return try await client.socket(request) { $0.pingInterval = nil }.connect()
  }

  private var isOpen: Bool { service.transport.sockets.first?.isOpen == true }

  @Test func `the load of a handshake ends with it, and leaves its place to others`() async throws {
    service.transport.stub("/", .json("ok"))
    let client = try service.client(ConcurrencyLimitMiddleware(maximumRequestsPerHost: 1))

    let connection = try await connect(with: client)

    #expect(service.events.count(of: "parsed") == 1)
    #expect(try await client.load(.text(.get("/"))) == "ok")
    try await connection.send("still there")
    #expect(try await connection.messages.first { _ in true } == "still there")
  }

  @Test func `the time limits of a handshake don't end an open socket`() async throws {
    let client = try service.client()

    let request = Request.get("/live").timeout(.seconds(2)).idleTimeout(.seconds(1))
    let connection = try await Deadline.within(.seconds(3), clock: service.clock) {
      try await connect(with: client, request)
    }
    service.clock.advance(by: .seconds(3600))

    try await connection.send("still there")
    #expect(try await connection.messages.first { _ in true } == "still there")
  }

  @Test func `cancelling all loads ends open sockets`() async throws {
    let client = try service.client()
    service.transport.stub("/", .json("ok"))
    let connection = try await connect(with: client)

    client.cancelAll()

    await #expect(throws: CancellationError.self) { try await connection.waitForEnd() }
    #expect(!isOpen)
    #expect(try await client.load(.text(.get("/"))) == "ok")
  }

  @Test func `a drain waits for open sockets`() async throws {
    let client = try service.client()
    let connection = try await connect(with: client)

    let drained = Promise { await client.drain(within: .seconds(10)) }
    try await service.clock.waitForSleepers(count: 1, within: .seconds(10))
    try await connection.send("still there")
    await connection.close()

    #expect(try await drained.get() == 0)
    #expect(connection.closure?.code == .normal)
  }

  @Test func `a drain cuts off sockets that are open at its limit`() async throws {
    let client = try service.client()
    let connection = try await connect(with: client)

    let drained = Promise { await client.drain(within: .seconds(10)) }
    try await service.clock.waitForSleepers(count: 1, within: .seconds(10))
    service.clock.advance(by: .seconds(10))

    #expect(try await drained.get() == 1)
    let error = await #expect(throws: LoadError.self) { try await connection.waitForEnd() }
    #expect(error?.kind == .closed)
    #expect(!isOpen)
  }

  @Test func `a socket that has ended is no longer counted`() async throws {
    let client = try service.client()
    for _ in 0..<3 { await (try connect(with: client)).close() }

    #expect(await client.drain(within: .seconds(10)) == 0)
    let error = await #expect(throws: LoadError.self) { try await connect(with: client) }
    #expect(error?.kind == .closed)
  }

  @Test func `a socket that overflows before it is attached is closed`() async throws {
    let client = try service.client()
    let tooMuch = [UInt8](repeating: 0, count: (64 << 20) + 1)
    service.transport.stub("/live", .socket(.send(bytes: tooMuch)))

    let connection = try? await client.socket(.get("/live")) { $0.pingInterval = nil }.connect()

    #expect(service.transport.sockets.count == 1 && !isOpen)
    await #expect(throws: LoadError.self) { try await connection?.waitForEnd() }
  }

  @Test(arguments: [false, true])
  func `a handshake whose client ends it meanwhile opens nothing`(_ closes: Bool) async throws {
    let client = try service.client()
    service.transport.stub("/live") { _ in
      if closes { client.close() } else { client.cancelAll() }
      return .socket()
    }

    let error = await #expect(throws: (any Error).self) {
      try await client.socket(.get("/live")).connect()
    }

    #expect(closes ? (error as? LoadError)?.kind == .closed : error is CancellationError)
    #expect(!isOpen)
    #expect(await client.drain(within: .zero) == 0)
  }

  private struct Twice: Middleware {
    func respond(to request: Request, next: Next) async throws -> Response {
      _ = try await next(request)
      return try await next(request)
    }
  }

  @Test func `a middleware can't open a socket twice`() async throws {
    let client = try service.client(Twice())

    let error = await #expect(throws: LoadError.self) { try await connect(with: client) }

    #expect(error?.kind == .middleware)
    #expect(service.transport.sockets.count == 1 && !isOpen)
    #expect(await client.drain(within: .zero) == 0)
  }
}
