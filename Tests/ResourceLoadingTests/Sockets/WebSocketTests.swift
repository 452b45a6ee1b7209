#if Curl && canImport(CResourceCurl)
  import Dispatch
  import Foundation
  import PromiseModule
  import ResourceLoading
  import ResourceTesting
  import Synchronization
  import TestSupport
  import Testing

  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct WebSocketTests {
    private static let echo = LoopbackRoute("GET /echo") { _ in
      .socket(compresses: true) { socket in
        while let message = try socket.receive() { try socket.send(message) }
      }
    }

    @Test(arguments: [false, true])
    func `messages are echoed in their order`(compresses: Bool) async throws {
      let server = try LoopbackServer { Self.echo }
      defer { server.stop() }
      let client = Client(baseURL: server.url())
      let socket = client.socket(.get("/echo")) { $0.compresses = compresses }
      let sent: [WebSocket.Message] =
        [0, 1, 125, 126, 65_535, 65_536, 300_000].map { .binary(Data(repeating: 7, count: $0)) }
        + (0..<100).map { .text("message \($0)") }

      try await socket.withConnection { connection in
        async let received = connection.messages.prefix(sent.count)
          .reduce(into: [WebSocket.Message]()) { $0.append($1) }
        for message in sent { try await connection.send(message) }
        #expect(try await received == sent)
      }
    }

    @Test func `a URL of ws is one of http`() async throws {
      let server = try LoopbackServer { Self.echo }
      defer { server.stop() }
      let url = try #require(URL(string: "ws://127.0.0.1:\(server.port)/echo"))

      let answer = try await Client().socket(.get(url)).withConnection { connection in
        try await connection.send("hello")
        return try await connection.messages.first { _ in true }
      }

      #expect(answer == "hello")
    }

    @MainActor private final class Chat {
      var answers: [WebSocket.Message] = []

      func run(_ socket: WebSocket) async throws {
        try await socket.withConnection { connection in
          try await connection.send("hello")
          for try await message in connection.messages.prefix(1) { answers.append(message) }
        }
      }
    }

    @Test func `a connection can be used on the main actor`() async throws {
      let server = try LoopbackServer { Self.echo }
      defer { server.stop() }
      let chat = Chat()

      try await chat.run(Client(baseURL: server.url()).socket(.get("/echo")))

      #expect(await chat.answers == ["hello"])
    }

    @Test func `the handshake has the client's headers and the subprotocol`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /chat") { _ in .socket(subprotocol: "v2") { _ = try $0.receive() } }
      }
      defer { server.stop() }
      let client = Client(baseURL: server.url()) { $0.headers["X-App"] = "1" }

      try await client.socket(.get("/chat")) { $0.subprotocols = ["v1", "v2"] }
        .withConnection { connection in #expect(connection.subprotocol == "v2") }

      let request = try #require(server.requests.first)
      #expect(request.header("X-App") == "1")
      #expect(request.header("Sec-WebSocket-Protocol") == "v1, v2")
      #expect(request.header("Transfer-Encoding") == nil)
      #expect(request.header("Accept-Encoding") == nil)
    }

    private struct Stamp: Middleware {
      func respond(to request: Request, next: Next) async throws -> Response {
        var request = request
        request.headers["X-Stamp"] = "1"
        return try await next(request)
      }
    }

    @Test func `cookies, middleware and the log see a handshake as any request`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /login", .response(headers: ["Set-Cookie": "session=1"], body: ""))
        LoopbackRoute("GET /live") { _ in .socket { _ = try $0.receive() } }
      }
      defer { server.stop() }
      let (lines, line) = AsyncStream<String>.makeStream()
      let client = Client(baseURL: server.url()) {
        $0.cookies = CookieJar()
        $0.middleware = [LoggingMiddleware { line.yield($0) }, Stamp()]
      }

      try await client.load(.void(.get("/login")))
      let request = Request.get("/live").query(["token": "5ecret"])
      try await client.socket(request).withConnection { _ in }

      let handshake = try #require(server.requests.last)
      #expect(handshake.header("Cookie") == "session=1")
      #expect(handshake.header("X-Stamp") == "1")
      let log = await lines.prefix(4).reduce(into: []) { $0.append($1) }
      #expect(log[2].hasPrefix("#2 → GET \(server.url("/live").absoluteString)?token="))
      #expect(log[3].hasPrefix("#2 ← 101 "), "\(log[3])")
      #expect(!log.joined().contains("5ecret"))
    }

    @Test func `a response that doesn't switch is the error of a load`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /none", .json(#"{"message": "no sockets here"}"#, status: 404))
        LoopbackRoute("GET /page", .response(body: "a page"))
      }
      defer { server.stop() }
      let client = Client(baseURL: server.url())

      for (path, status) in [("none", Status.notFound), ("page", .ok)] {
        let error = await #expect(throws: LoadError.self) {
          try await client.socket(.get("/\(path)")).connect()
        }
        #expect(error?.kind == .status)
        #expect(error?.response?.status == status)
      }
    }

    @Test func `a token is renewed, and a redirect followed`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /old", .redirect(to: "/live"))
        LoopbackRoute("GET /live") { request in
          guard request.header("Authorization") == "Bearer new" else { return .status(401) }
          return .socket { _ = try $0.receive() }
        }
      }
      defer { server.stop() }
      let client = Client(baseURL: server.url()) {
        $0.middleware = [
          BearerAuthentication(token: BearerToken("old")) { _, _ in BearerToken("new") }
        ]
      }

      try await client.socket(.get("/old")).withConnection { _ in }

      let keys = server.requests.map { $0.header("Sec-WebSocket-Key") }
      #expect(Set(keys).count == keys.count)
    }

    @Test func `the server's closure ends the messages`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /bye") { _ in
          .socket { socket in
            try socket.send("last")
            try socket.close(.goingAway, reason: "restart")
            _ = try socket.nextEvent()
          }
        }
        LoopbackRoute("GET /policy") { _ in
          .socket { socket in
            try socket.close(.policyViolation, reason: "too many")
            _ = try socket.nextEvent()
          }
        }
        LoopbackRoute("GET /cut") { _ in .socket { try $0.send("only") } }
      }
      defer { server.stop() }
      let client = Client(baseURL: server.url())

      try await client.socket(.get("/bye")).withConnection { connection in
        let messages = try await connection.messages.reduce(into: []) { $0.append($1) }
        #expect(messages == ["last"])
        #expect(connection.closure == WebSocket.Closure(code: .goingAway, reason: "restart"))
        await #expect(throws: LoadError.self) { try await connection.send("late") }
      }
      for (path, kind) in [("policy", LoadError.Kind.closed), ("cut", .connection)] {
        try await client.socket(.get("/\(path)")).withConnection { connection in
          let error = await #expect(throws: LoadError.self) {
            for try await message in connection.messages { #expect(message == "only") }
          }
          #expect(error?.kind == kind)
        }
      }
    }

    @Test func `a server that leaves without an answer is an error at once`() async throws {
      let server = try LoopbackServer { LoopbackRoute("GET /gone", .close) }
      defer { server.stop() }

      let error = await #expect(throws: LoadError.self) {
        try await Client(baseURL: server.url()).socket(.get("/gone")).connect()
      }

      #expect(error?.kind == .connection)
    }

    @Test func `a violation closes the socket with its code`() async throws {
      let codes = Mutex<[WebSocket.CloseCode?]>([])
      let server = try LoopbackServer {
        LoopbackRoute("GET /broken") { _ in
          .socket { socket in
            try socket.send(bytes: [0x81, 0x01, 0xFF])
            if case .close(let closure) = try socket.nextEvent() {
              codes.withLock { $0.append(closure.code) }
            }
          }
        }
      }
      defer { server.stop() }

      try await Client(baseURL: server.url()).socket(.get("/broken"))
        .withConnection { connection in
          await #expect(throws: LoadError.self) { for try await _ in connection.messages {} }
        }

      #expect(codes.withLock { $0 } == [.invalidData])
    }

    @Test func `pings of both sides are answered`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /ping") { _ in
          .socket { socket in
            try socket.ping()
            while let message = try socket.receive() { try socket.send(message) }
          }
        }
      }
      defer { server.stop() }

      try await Client(baseURL: server.url()).socket(.get("/ping"))
        .withConnection { connection in
          try await connection.ping()
          try await connection.send("still there")
          #expect(try await connection.messages.first { _ in true } == "still there")
        }
    }

    @Test func `a silent server is noticed after two intervals`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /silent") { _ in .socket { while true { _ = try $0.nextEvent() } } }
      }
      defer { server.stop() }
      let clock = ManualClock()
      let client = Client(baseURL: server.url()) { $0.clock = clock }
      let socket = client.socket(.get("/silent")) { $0.pingInterval = .seconds(30) }
      let connection = try await socket.connect()
      async let outcome = #expect(throws: LoadError.self) {
        for try await _ in connection.messages {}
      }

      for _ in 0..<2 {
        try await clock.waitForSleepers(count: 1, within: .seconds(30))
        clock.advance(by: .seconds(30))
      }

      #expect(await outcome?.kind == .timedOut)
      #expect(connection.closure == nil)
    }

    @Test func `closing ends in time although the server is silent`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /deaf") { _ in .socket { while true { _ = try $0.nextEvent() } } }
      }
      defer { server.stop() }
      let socket = Client(baseURL: server.url()).socket(.get("/deaf")) {
        $0.closeTimeout = .milliseconds(50)
      }

      let connection = try await socket.connect()
      await connection.close()

      try await server.waitForDisconnects(count: 1)
      await #expect(throws: LoadError.self) { try await connection.send("late") }
    }

    @Test func `closing the client ends its sockets`() async throws {
      let server = try LoopbackServer { Self.echo }
      defer { server.stop() }
      let client = Client(baseURL: server.url())
      let connection = try await client.socket(.get("/echo")).connect()

      client.close()

      let error = await #expect(throws: LoadError.self) {
        for try await _ in connection.messages {}
      }
      #expect(error?.kind == .closed)
    }

    @Test func `the handshake has a time limit`() async throws {
      let server = try LoopbackServer { LoopbackRoute("GET /slow", .silence) }
      defer { server.stop() }
      let clock = ManualClock()
      let client = Client(baseURL: server.url()) { $0.clock = clock }
      async let outcome = #expect(throws: LoadError.self) {
        try await client.socket(.get("/slow")) { $0.connectTimeout = .seconds(20) }.connect()
      }

      try await server.waitForRequests(count: 1)
      clock.advance(by: .seconds(20))

      #expect(await outcome?.kind == .timedOut)
      try await server.waitForDisconnects(count: 1)
    }

    @Test func `a transport without sockets says so`() async throws {
      let client = Client(baseURL: URL(string: "https://example.org")) {
        $0.transport = URLSessionTransport()
      }

      let error = await #expect(throws: LoadError.self) {
        try await client.socket(.get("/live")).connect()
      }

      #expect(error?.kind == .invalidRequest)
    }

    /// A server that sends a message, and what the clients say after it.
    private func greeter() throws -> (server: LoopbackServer, said: AsyncStream<String>) {
      let (events, event) = AsyncStream<String>.makeStream()
      let server = try LoopbackServer {
        LoopbackRoute("GET /live") { _ in
          .socket { socket in
            try socket.send("ready")
            event.yield("\(try socket.nextEvent())")
            try socket.close(.goingAway)
          }
        }
      }
      return (server, events)
    }

    enum Ending: String, CaseIterable {
      case cancelledConnection, cancelledSequence, cancelledListener, leftSequence, noReference
    }

    @Test(arguments: Ending.allCases)
    func `whoever leaves closes the socket with a code`(ending: Ending) async throws {
      let (server, said) = try greeter()
      defer { server.stop() }
      let socket = Client(baseURL: server.url()).socket(.get("/live"))
      let (ready, isReady) = AsyncStream<Void>.makeStream()

      switch ending {
      case .cancelledConnection:
        let task = Task {
          try await socket.withConnection { connection in
            for try await _ in connection.messages { isReady.yield() }
          }
        }
        for await _ in ready { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      case .cancelledSequence:
        let task = Task { for try await _ in socket.messages() { isReady.yield() } }
        for await _ in ready { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      case .cancelledListener:
        let task = socket.listen { _ in isReady.yield() }
        for await _ in ready { break }
        task.cancel()
        await task.value
      case .leftSequence: for try await _ in socket.messages() { break }
      case .noReference: _ = try await socket.connect()
      }

      let closure = WebSocketReader.Event.close(WebSocket.Closure(code: .goingAway))
      #expect(await said.first { _ in true } == "\(closure)")
    }

    @Test func `messages of promises are sent in the order of the calls`() async throws {
      let server = try LoopbackServer { Self.echo }
      defer { server.stop() }
      let connection = try await Client(baseURL: server.url()).socket(.get("/echo")).promise().value
      let sent = (0..<100).map { WebSocket.Message.text("\($0)") }

      _ = try await Promise.all(sent.map { connection.promise(sending: $0) }).value

      let received = try await connection.messages.prefix(sent.count)
        .reduce(into: [WebSocket.Message]()) { $0.append($1) }
      #expect(received == sent)
      async let closing: Void = connection.close()
      #expect(try await connection.end.value?.code == .normal)
      await closing
    }

    @Test func `what the system hadn't taken is known at the end`() async throws {
      let areSent = DispatchSemaphore(value: 0)
      let server = try LoopbackServer {
        LoopbackRoute("GET /deaf") { _ in
          .socket { socket in
            _ = try socket.receive()
            areSent.wait()
          }
        }
      }
      defer { server.stop() }
      let connection = try await Client(baseURL: server.url()).socket(.get("/deaf")).connect()
      // More than the buffers of the system.
      let sent = (0..<16).map { WebSocket.Message.binary(Data(repeating: $0, count: 1 << 20)) }

      let promises = sent.map { connection.promise(sending: $0) }
      areSent.signal()
      let outcomes = try await Promise.settled(promises).value

      let end = await #expect(throws: LoadError.self) { try await connection.waitForEnd() }
      let late = await #expect(throws: LoadError.self) { try await connection.send("late") }
      let refused = #expect(throws: LoadError.self) { try outcomes.last?.get() }
      #expect(refused?.reason == end?.reason)
      #expect(late?.reason == end?.reason)
      let taken = outcomes.prefix { (try? $0.get()) != nil }.count
      #expect((1..<16).contains(taken))
      #expect(connection.undelivered == Array(sent[taken...]))
    }
  }

  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct WebSocketMessagesTests {
    @Test func `a socket that breaks is opened again, and says what it wants`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /live") { request in
          .socket { socket in
            let wanted = try socket.receive()
            try socket.send(wanted ?? "nothing")
            if request.connection == 3 {
              try socket.close()
              _ = try socket.nextEvent()
            } else if request.connection == 2 {
              try socket.close(.serviceRestart)
              _ = try socket.nextEvent()
            }
          }
        }
      }
      defer { server.stop() }
      let clock = ManualClock()
      let client = Client(baseURL: server.url()) { $0.clock = clock }
      let phases = Mutex<[WebSocket.Phase]>([])
      let count = Mutex(0)
      let policy = RetryPolicy(
        maximumAttempts: 3, backoff: Backoff(base: .seconds(1), jitter: .none))
      let onPhase = { @Sendable (phase: WebSocket.Phase) in
        phases.withLock { $0.append(phase) }
        guard case .waiting = phase else { return }
        Task {
          try await clock.waitForSleepers(count: 1, within: .seconds(1))
          clock.advance(by: .seconds(1))
        }
      }
      let socket = client.socket(.get("/live")) { $0.pingInterval = nil }
      let onConnect = { @Sendable (connection: WebSocket.Connection) in
        let number = count.withLock { count in
          count += 1
          return count
        }
        try await connection.send(.text("from \(number)"))
      }
      let messages = socket.messages(
        reconnecting: policy, onConnect: onConnect, onPhase: onPhase)

      let received = try await messages.reduce(into: []) { $0.append($1) }

      #expect(received == ["from 1", "from 2", "from 3"])
      #expect(
        phases.withLock { $0 } == [
          .connecting, .open, .waiting(.seconds(1)), .connecting, .open, .waiting(.seconds(1)),
          .connecting, .open, .closed,
        ])
    }

    @Test func `a server that asks for time gets it`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /live") { request in
          guard request.connection > 1 else {
            return .status(503, headers: ["Retry-After": "7", "Connection": "close"])
          }
          return .socket { socket in
            try socket.send("welcome")
            try socket.close()
            _ = try socket.nextEvent()
          }
        }
      }
      defer { server.stop() }
      let clock = ManualClock()
      let client = Client(baseURL: server.url()) { $0.clock = clock }
      let phases = Mutex<[WebSocket.Phase]>([])
      let messages = client.socket(.get("/live")) { $0.pingInterval = nil }.messages(
        onPhase: { phase in
          phases.withLock { $0.append(phase) }
          guard case .waiting = phase else { return }
          Task {
            try await clock.waitForSleepers(count: 1, within: .seconds(7))
            clock.advance(by: .seconds(7))
          }
        })

      let received = try await messages.reduce(into: []) { $0.append($1) }

      #expect(received == ["welcome"])
      #expect(
        phases.withLock { $0 } == [
          .connecting, .waiting(.seconds(7)), .connecting, .open, .closed,
        ])
    }

    @Test func `callbacks come one after another, and the end comes last`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /live") { _ in
          .socket { socket in
            for number in 0..<50 { try socket.send(.text("\(number)")) }
            try socket.close(.policyViolation)
            _ = try socket.nextEvent()
          }
        }
      }
      defer { server.stop() }
      let (events, continuation) = AsyncStream<String>.makeStream()

      let task = Client(baseURL: server.url()).socket(.get("/live")).listen { event in
        switch event {
        case .message(.text(let text)): continuation.yield(text)
        case .message: continuation.yield("bytes")
        case .ended(let error):
          continuation.yield((error as? LoadError)?.kind.description ?? "no error")
          continuation.finish()
        }
      }

      let received = await events.reduce(into: []) { $0.append($1) }
      #expect(received == (0..<50).map { "\($0)" } + [LoadError.Kind.closed.description])
      await task.value
    }

    @Test func `a socket that is refused isn't opened again`() async throws {
      let server = try LoopbackServer { LoopbackRoute("GET /live", .status(403)) }
      defer { server.stop() }
      let client = Client(baseURL: server.url())

      let error = await #expect(throws: LoadError.self) {
        for try await _ in client.socket(.get("/live")).messages() {}
      }

      #expect(error?.response?.status == .forbidden)
      #expect(server.requests.count == 1)
    }

    @Test func `values are decoded, and one that isn't a value names its place`() async throws {
      struct Price: Decodable, Sendable, Equatable { let amount: Int }
      let server = try LoopbackServer {
        LoopbackRoute("GET /prices") { _ in
          .socket { socket in
            try socket.send(#"{"amount": 1}"#)
            try socket.send(.binary(Data(#"{"amount": 2}"#.utf8)))
            try socket.send(#"{"amount": "three"}"#)
            _ = try socket.receive()
          }
        }
      }
      defer { server.stop() }
      let client = Client(baseURL: server.url())
      var prices: [Price] = []

      let error = await #expect(throws: LoadError.self) {
        for try await price in client.socket(.get("/prices")).values(of: Price.self) {
          prices.append(price)
        }
      }

      #expect(prices == [Price(amount: 1), Price(amount: 2)])
      #expect(error?.kind == .parsing)
      #expect(error?.parsing?.path == "amount")
    }
  }
#endif
