import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(15)))
struct StubSocketTests {
  private let transport = StubTransport()
  private let clock = ManualClock()
  private let client: Client

  init() {
    client = Client(baseURL: URL(string: "https://api.example.org")) {
      [transport, clock] in ($0.transport, $0.clock) = (transport, clock)
    }
  }

  private var socket: WebSocket { client.socket(.get("/live")) }

  @Test func `messages come in order, and what the client sends is recorded`() async throws {
    transport.stub("GET /live", .socket(.send("one"), .receive, .send(.binary(Data([2])))))

    try await socket.withConnection { connection in
      var messages = connection.messages.makeAsyncIterator()
      #expect(try await messages.next() == "one")
      try await connection.send("first")
      #expect(try await messages.next() == .binary(Data([2])))
      try await connection.send("second")
    }

    #expect(transport.sockets.map(\.messages) == [["first", "second"]])
    #expect(try await transport.waitForMessages(count: 2) == ["first", "second"])
    #expect(transport.sockets.first?.closure == WebSocket.Closure(code: .normal))
    #expect(transport.sockets.first?.isOpen == false)
    #expect(transport.inFlight == 0 && transport.cancellations.isEmpty)
  }

  @Test func `an answer depends on the message`() async throws {
    transport.stub(
      "/live",
      .socket(
        .receive { message in message == "ping" ? [.send("pong"), .receive, .close()] : [.drop] }))

    try await socket.withConnection { connection in
      try await connection.send("ping")
      #expect(try await connection.messages.first { _ in true } == "pong")
      try await connection.send("enough")
      #expect(try await connection.waitForEnd() == WebSocket.Closure(code: .normal))
    }
  }

  @Test func `sockets are answered in turn, and a delay passes on the manual clock`() async throws {
    transport.stub(
      "/live", .status(503), .socket(.send("one"), .drop),
      .socket(.delay(.seconds(3), clock: clock), .send("two"), .close(.normal, reason: "done")))
    let policy = RetryPolicy(
      maximumAttempts: 3, backoff: Backoff(base: .seconds(1), factor: 1, jitter: .none))
    let messages = client.socket(.get("/live")) { $0.pingInterval = nil }
      .messages(reconnecting: policy)
    async let received = messages.reduce(into: [WebSocket.Message]()) { $0.append($1) }

    for pause in [1, 1, 3] {
      try await clock.waitForSleepers(count: 1, within: .seconds(pause))
      clock.advance(by: .seconds(pause))
    }

    #expect(try await received == ["one", "two"])
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `a closure has its code and reason`() async throws {
    transport.stub("/live", .socket(.close(.policyViolation, reason: "too many")))

    try await socket.withConnection { connection in
      let error = await #expect(throws: LoadError.self) { try await connection.waitForEnd() }
      #expect(error?.kind == .closed)
      #expect(
        connection.closure == WebSocket.Closure(code: .policyViolation, reason: "too many"))
    }

    #expect(transport.sockets.first?.closure?.code == .policyViolation)
  }

  @Test func `a dropped connection is an error`() async throws {
    transport.stub("/live", .socket(.send("one"), .drop))

    try await socket.withConnection { connection in
      var received: [WebSocket.Message] = []
      let error = await #expect(throws: LoadError.self) {
        for try await message in connection.messages { received.append(message) }
      }
      #expect(error?.kind == .connection && received == ["one"])
    }
  }

  @Test func `pings are answered, also while a step waits`() async throws {
    transport.stub("/live", .socket(.wait(Gate())))

    try await socket.withConnection { try await $0.ping() }
  }

  @Test func `a silent server is noticed after two intervals`() async throws {
    transport.stub("/live", .socket(.silence))
    let connection = try await socket.connect()
    async let outcome = #expect(throws: LoadError.self) { try await connection.waitForEnd() }

    for _ in 0..<2 {
      try await clock.waitForSleepers(count: 1, within: .seconds(30))
      clock.advance(by: .seconds(30))
    }

    #expect(await outcome?.kind == .timedOut)
    #expect(transport.sockets.first?.isOpen == false)
  }

  @Test func `bytes that aren't a frame close the socket with a code`() async throws {
    transport.stub("/live", .socket(.send(bytes: [0x81, 0x01, 0xFF])))

    try await socket.withConnection { connection in
      await #expect(throws: LoadError.self) { try await connection.waitForEnd() }
    }

    #expect(transport.sockets.first?.closure?.code == .invalidData)
  }

  @Test func `the handshake has its headers, and the server a subprotocol`() async throws {
    transport.stub("/live", .socket(subprotocol: "v2"))

    try await client.socket(.get("/live")) { $0.subprotocols = ["v1", "v2"] }
      .withConnection { connection in #expect(connection.subprotocol == "v2") }

    let request = try #require(transport.sockets.first?.request)
    #expect(request.headers["Sec-WebSocket-Protocol"] == "v1, v2")
  }

  @Test func `a handshake that is cancelled counts as cancelled`() async throws {
    let gate = Gate()
    transport.stub("/live", .socket().waiting(for: gate))

    let task = Task { [socket] in try await socket.connect() }
    try await gate.waitForArrivals(count: 1)
    #expect(transport.inFlight == 1)
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    try await transport.waitForCancellations(count: 1)
    #expect(transport.inFlight == 0 && transport.sockets.isEmpty)
  }

  @Test func `a connection without references is closed with a code`() async throws {
    transport.stub("/live", .socket())

    _ = try await socket.connect()

    while transport.sockets.first?.isOpen != false { await Task.yield() }
    #expect(transport.sockets.first?.closure?.code == .goingAway)
  }

  @Test func `a connection without references ends in time although the server is silent`()
    async throws
  {
    transport.stub("/live", .socket(.silence))
    let socket = client.socket(.get("/live")) { $0.pingInterval = nil }

    _ = try await socket.connect()
    try await clock.waitForSleepers(count: 1, within: socket.options.closeTimeout)
    #expect(transport.sockets.first?.isOpen == true)
    clock.advance(by: socket.options.closeTimeout)

    while transport.sockets.first?.isOpen != false { await Task.yield() }
  }

  @Test func `more messages than are read wait until there is room`() async throws {
    let size = 100_000
    let steps = (0..<20).map { StubSocket.Step.send(.binary(Data(repeating: $0, count: size))) }
    transport.stub("/live", .socket(.receive { _ in steps }))

    try await socket.withConnection { connection in
      try await connection.send("go")
      let received = try await connection.messages.prefix(20).reduce(into: [UInt8]()) {
        if case .binary(let data) = $1, data.count == size { $0.append(data[0]) }
      }
      #expect(received == Array(0..<20))
    }
  }

  @Test func `a load that is answered by a socket fails with a clear error`() async {
    let loader = StubLoader()
    loader.stub("/live", .socket())
    transport.stub("/live", .socket())

    for error in [
      await #expect(throws: LoadError.self) { try await client.load(.void(.get("/live"))) },
      await #expect(throws: LoadError.self) { try await loader.load(.void(.get("/live"))) },
    ] {
      #expect(error?.reason == "the stub for this request holds a WebSocket, not a response")
    }
  }

  @Test func `a handshake that isn't stubbed says so`() async {
    let error = await #expect(throws: LoadError.self) { try await socket.connect() }

    #expect(
      error?.reason == "the stub transport has no answer to GET /live: it has no patterns")
  }
}
