#if Curl && canImport(CResourceCurl)
  import Foundation
  import PromiseModule
  import ResourceLoading
  import ResourceTesting
  import Synchronization
  import TestSupport
  import Testing

  /// When sockets that break are opened again.
  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct SocketReconnectionTests {
    private let policy = RetryPolicy(
      maximumAttempts: 4, backoff: Backoff(base: .seconds(8), factor: 1, jitter: .none))

    /// The first connection is closed without a handshake, or refused.
    private func server(refusing answer: Script = .close) throws -> LoopbackServer {
      try LoopbackServer {
        LoopbackRoute("GET /live") { request in
          guard request.connection > 1 else { return answer }
          return .socket { socket in
            try socket.send("welcome")
            try socket.close()
            _ = try socket.nextEvent()
          }
        }
      }
    }

    @Test func `a signal ends the pause after a connection that failed`() async throws {
      let server = try server()
      defer { server.stop() }
      let clock = ManualClock()
      let client = Client(baseURL: server.url()) { $0.clock = clock }
      let (signals, signal) = AsyncStream<Void>.makeStream()
      let socket = client.socket(.get("/live")) { $0.pingInterval = nil }
        .reconnecting(on: signals)
      let start = clock.now

      let received = try await socket.messages(
        reconnecting: policy,
        onPhase: { phase in
          guard case .waiting = phase else { return }
          Task {
            try await clock.waitForSleepers(count: 1, within: .seconds(8))
            signal.yield()
          }
        }
      ).reduce(into: [WebSocket.Message]()) { $0.append($1) }

      #expect(received == ["welcome"])
      #expect(clock.now == start)
    }

    @Test func `a signal leaves the pause that a server asks for`() async throws {
      let server = try server(
        refusing: .status(503, headers: ["Retry-After": "9", "Connection": "close"]))
      defer { server.stop() }
      let clock = ManualClock()
      let client = Client(baseURL: server.url()) { $0.clock = clock }
      let (signals, signal) = AsyncStream<Void>.makeStream()
      let socket = client.socket(.get("/live")) { $0.pingInterval = nil }
        .reconnecting(on: signals)
      let start = clock.now

      let received = try await socket.messages(
        reconnecting: policy,
        onPhase: { phase in
          guard case .waiting = phase else { return }
          Task {
            try await clock.waitForSleepers(count: 1, within: .seconds(9))
            signal.yield()
            clock.advance(by: .seconds(9))
          }
        }
      ).reduce(into: [WebSocket.Message]()) { $0.append($1) }

      #expect(received == ["welcome"])
      #expect(start.duration(to: clock.now) == .seconds(9))
    }

    @Test func `cancelling ends a pause that listens to signals`() async throws {
      let server = try server()
      defer { server.stop() }
      let clock = ManualClock()
      let client = Client(baseURL: server.url()) { $0.clock = clock }
      let (signals, _) = AsyncStream<Void>.makeStream()
      let socket = client.socket(.get("/live")) { $0.pingInterval = nil }
        .reconnecting(on: signals)

      let task = socket.listen(reconnecting: policy) { _ in }
      try await clock.waitForSleepers(count: 1, within: .seconds(8))
      task.cancel()

      await task.value
    }

    @Test func `handshakes are retried within the client's budget`() async throws {
      let server = try LoopbackServer { LoopbackRoute("GET /live", .status(503)) }
      defer { server.stop() }
      let client = Client(baseURL: server.url()) {
        $0.middleware = [
          RetryMiddleware(
            RetryPolicy(maximumAttempts: 5, backoff: Backoff(base: .zero, jitter: .none)),
            budget: .init(reserve: 6, ratio: 0))
        ]
      }

      for _ in 0..<3 {
        await #expect(throws: LoadError.self) { try await client.socket(.get("/live")).connect() }
      }

      // Three attempts, and six retries.
      #expect(server.requests.count == 9)
    }

    @Test func `as many failures in a row as the policy allows are the last error`() async throws {
      let server = try LoopbackServer { LoopbackRoute("GET /live", .close) }
      defer { server.stop() }
      let policy = RetryPolicy(maximumAttempts: 4, backoff: Backoff(base: .zero, jitter: .none))

      let error = await #expect(throws: LoadError.self) {
        for try await _ in Client(baseURL: server.url()).socket(.get("/live"))
          .messages(reconnecting: policy)
        {}
      }

      #expect(error?.kind == .connection)
      #expect(server.requests.count == 4)
    }
  }
#endif
