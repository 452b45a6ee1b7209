#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import Synchronization
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// The additional behaviour of `CurlTransport`.
  @Suite(.inTurn, .timeLimit(.minutes(10)))
  struct CurlTransportTests {
    private func start(
      _ request: Request, over transport: CurlTransport
    ) throws -> (log: ExchangeLog, exchange: any Exchange) {
      let log = ExchangeLog()
      return (log, transport.start(try WireRequest(request), receiver: log))
    }

    @Test func `headers keep their order, their repetitions and their bytes`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute(
          "*",
          [
            .bytes("HTTP/1.1 200 OK\r\nX-B: 1\r\nX-A: 2\r\nx-b:3\r\nX-C: a\r\n  b\r\nX-D: "),
            .bytes([0xE4, 0x0D, 0x0A]), .bytes("X-E:\r\nContent-Length: 0\r\n\r\n"),
          ])
      }
      defer { server.stop() }

      let transport = CurlTransport()
      defer { transport.close() }
      let head = try await start(Request(url: server.url()), over: transport).log.end().heads.first

      #expect(head?.headers.map(\.name.rawValue).prefix(3) == ["X-B", "X-A", "x-b"])
      #expect(head?.headers.values(of: "X-B") == ["1", "3"])
      #expect(head?.headers["X-C"] == "a b")
      #expect(head?.headers["X-D"] == "ä")
      #expect(head?.headers["X-E"] == "")
    }

    @Test func `closing a transport ends running and later requests`() async throws {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .silence } }
      defer { server.stop() }
      let transport = CurlTransport()

      let first = try start(Request(url: server.url()), over: transport).log
      _ = try await server.waitForRequests(count: 1)
      transport.close()
      transport.close()
      let second = try start(Request(url: server.url()), over: transport).log

      #expect(await first.end().failure?.kind == .closed)
      #expect(await second.end().failure?.kind == .closed)
      try await server.waitForDisconnects(count: 1)
      #expect(server.requests.count == 1)
    }

    @Test func `a paused body waits until it is resumed`() async throws {
      let size = 8 << 20
      let server = try LoopbackServer {
        LoopbackRoute("*") { _ in .response(body: [UInt8](repeating: 7, count: size)) }
      }
      defer { server.stop() }

      let transport = CurlTransport()
      defer { transport.close() }
      let (log, exchange) = try start(Request(url: server.url()), over: transport)
      exchange.pause()
      try await server.wait { $0.requests == 1 }
      let held = log.record.ends.isEmpty
      for _ in 0..<100 {
        exchange.resume()
        exchange.pause()
      }
      exchange.resume()

      #expect(held)
      #expect(await log.end().body.count == size)
    }

    @Test func `the number of connections is limited`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("*") { _ in [.delay(.milliseconds(5)), .response(body: "ok")] }
      }
      defer { server.stop() }
      var configuration = CurlTransport.Configuration()
      configuration.maximumConnectionsPerHost = 3
      let transport = CurlTransport(configuration)

      defer { transport.close() }
      let logs = try (0..<20).map { _ in
        try start(Request(url: server.url()), over: transport).log
      }
      for log in logs { #expect(await log.end().failure == nil) }

      #expect(server.statistics.peakOpen <= 3)
      #expect(server.requests.count == 20)
    }

    @Test(
      arguments: [
        ("POST", nil, 1), ("PUT", nil, 2), ("PUT", false, 1), ("POST", true, 2),
      ] as [(String, Bool?, Int)])
    func `a request that isn't idempotent isn't repeated after a dead connection`(
      _ method: String, _ mark: Bool?, _ count: Int
    ) async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET *") { _ in .response(body: "ok") }
        LoopbackRoute("*") { request in request.connection == 1 ? .close : .response(body: "ok") }
      }
      defer { server.stop() }
      let transport = CurlTransport()
      defer { transport.close() }
      #expect(
        await (try start(Request(url: server.url()), over: transport).log).end().failure == nil)

      var request = Request(
        .init(rawValue: method), url: server.url(), body: .data(Data("x".utf8)))
      request.options.isIdempotent = mark
      let log = try start(request, over: transport).log
      let failure = await log.end().failure

      #expect((failure == nil) == (count == 2))
      #expect(server.requests.filter { $0.method == method }.count == count)
    }

    @Test func `metrics have the times of the steps`() async throws {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "hello") } }
      defer { server.stop() }
      let metrics = Mutex<[ExchangeMetrics]>([])
      let client = Client(baseURL: server.url()) {
        $0.observer = { event in
          if case .measured(let one) = event.kind { metrics.withLock { $0.append(one) } }
        }
      }

      for _ in 0..<2 {
        let request = Request(.post, "/", body: .data(Data("abc".utf8)))
        try await client.load(.void(request))
      }

      let found = metrics.withLock(\.self)
      #expect(found.map(\.isConnectionReused) == [false, true])
      #expect(found.map(\.bytesSent) == [3, 3])
      #expect(found.map(\.bytesReceived) == [5, 5])
      #expect(found.map(\.httpVersion) == ["HTTP/1.1", "HTTP/1.1"])
      #expect(found.allSatisfy { ($0.firstByte ?? .seconds(99)) <= $0.ended })
      #expect(found.first?.connected != nil)
      #expect(found.last?.connected == nil)
    }
  }
#endif
