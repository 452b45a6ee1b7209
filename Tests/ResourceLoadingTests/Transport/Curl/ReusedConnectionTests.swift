#if Curl && os(Linux)
  import Foundation
  import FoundationNetworking
  import Glibc
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// What servers do to idle connections.
  @Suite(.inTurn, .timeLimit(.minutes(10)))
  struct ReusedConnectionTests {
    private func send(
      _ request: Request, over transport: CurlTransport
    ) async throws -> ExchangeLog.Record {
      let log = ExchangeLog()
      _ = transport.start(try WireRequest(request), receiver: log)
      return await log.end()
    }

    /// Responds to the first request, and does something to its connection when the gate is open.
    private func makeServer(_ gate: Gate, then rest: Script) throws -> LoopbackServer {
      try LoopbackServer {
        LoopbackRoute("*") { request in
          guard request.connection == 1 else { return .response(body: "honest") }
          return [.response(body: "first"), .wait(gate), rest]
        }
      }
    }

    private static let forged: Script = [
      .bytes("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"), .silence,
    ]

    @Test(arguments: ["GET", "HEAD"], ["GET", "POST"])
    func `bytes that arrive without a request aren't a response`(
      _ first: String, _ second: String
    ) async throws {
      let gate = Gate()
      let server = try makeServer(gate, then: Self.forged)
      defer { server.stop() }
      let transport = CurlTransport()
      defer { transport.close() }
      let url = server.url()
      _ = try await send(Request(.init(rawValue: first), url: url), over: transport)

      let idle = try #require(ClientSocket(to: server.port))
      gate.open()
      try await idle.becomesReadable()
      let record = try await send(Request(.init(rawValue: second), url: url), over: transport)

      #expect(record.failure == nil)
      #expect(String(decoding: record.body, as: UTF8.self) == "honest")
      #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test(arguments: ["GET", "PUT", "POST"], [true, false])
    func `a request is sent once, on a new connection, if the idle one was closed`(
      _ method: String, _ resets: Bool
    ) async throws {
      let gate = Gate()
      let server = try makeServer(gate, then: resets ? .reset : .close)
      defer { server.stop() }
      let transport = CurlTransport()
      defer { transport.close() }
      let url = server.url()
      _ = try await send(Request(url: url), over: transport)

      let idle = try #require(ClientSocket(to: server.port))
      gate.open()
      try await idle.becomesReadable()
      let record = try await send(Request(.init(rawValue: method), url: url), over: transport)

      #expect(record.failure == nil, "\(String(describing: record.failure))")
      #expect(String(decoding: record.body, as: UTF8.self) == "honest")
      #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test(arguments: ["GET", "PUT", "POST"])
    func `a request that the server may have doesn't count as unsent`(
      _ method: String
    ) async throws {
      let server = try LeavingServer()
      let transport = CurlTransport()
      defer { transport.close() }
      _ = try await send(Request(url: server.url), over: transport)

      let record = try await send(
        Request(.init(rawValue: method), url: server.url), over: transport)

      let failure = try #require(record.failure)
      #expect(failure.kind == .connection && !failure.isUnsent, "\(failure)")
      #expect(failure.reason == "the server closed the connection without an answer")
    }

    @Test(arguments: Engine.allCases, [true, false])
    func `a POST that was sent before the server closed doesn't count as unsent`(
      _ engine: Engine, _ hasBody: Bool
    ) async throws {
      let server = try LeavingServer()
      let client = Client(engine) { $0.options.timeout = .seconds(60) }
      var post = Request.post(server.url)
      if hasBody { post.body = .text("text") }
      try await client.load(.void(post))

      let failure = await #expect(throws: LoadError.self) { try await client.load(.void(post)) }

      #expect(failure?.isUnsent == false, "\(String(describing: failure))")
    }

    @Test func `a POST over the app's own session counts as sent if that is unknown`()
      async throws
    {
      let (session, server) = (URLSession(configuration: .ephemeral), try LeavingServer())
      let client = Client {
        $0.transport = URLSessionTransport(session: session)
        $0.options.timeout = .seconds(60)
      }
      try await client.load(.void(.post(server.url)))

      let failure = await #expect(throws: LoadError.self) {
        try await client.load(.void(.post(server.url)))
      }

      #expect(failure?.isUnsent == false, "\(String(describing: failure))")
      session.invalidateAndCancel()
    }

    @Test func `a GET that can't be sent over a session counts as unsent`() async throws {
      let port = try UnservedPort(.refusing)

      let failure = await #expect(throws: LoadError.self) {
        try await Client(.urlSession).load(.void(.get(port.url())))
      }

      #expect(failure?.isUnsent == true, "\(String(describing: failure))")
    }

    @Test func `a silent connection is probed to detect a dead server`()
      async throws
    {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
      defer { server.stop() }
      let transport = CurlTransport()
      defer { transport.close() }

      _ = try await send(Request(url: server.url()), over: transport)

      let socket = try #require(ClientSocket(to: server.port))
      #expect(socket.option(SOL_SOCKET, SO_KEEPALIVE) == 1)
      #expect(socket.option(Int32(IPPROTO_TCP), TCP_KEEPIDLE) == 45)
    }

    @Test func `an idle connection is reused`() async throws {
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
      defer { server.stop() }
      let transport = CurlTransport()
      defer { transport.close() }

      for _ in 0..<20 {
        #expect(try await send(Request(url: server.url()), over: transport).failure == nil)
      }

      #expect(server.statistics.accepted == 1)
    }
  }

  /// Accepts one connection, responds to its first request, and closes it after the second request.
  private final class LeavingServer: Sendable {
    let url: URL

    init() throws {
      let listener = try LocalSocket()
      url = try #require(URL(string: "http://127.0.0.1:\(listener.port)/"))
      Thread.detachNewThread {
        let socket = accept(listener.descriptor, nil, nil)
        close(listener.descriptor)
        Self.readHead(of: socket)
        // Unread bytes of a body would precede the next head.
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
        _ = Glibc.send(socket, answer, answer.count, Int32(MSG_NOSIGNAL))
        Self.readHead(of: socket)
        close(socket)
      }
    }

    private static func readHead(of socket: Int32) {
      var (head, byte) = ([UInt8](), [UInt8](repeating: 0, count: 1))
      while !head.suffix(4).elementsEqual("\r\n\r\n".utf8), recv(socket, &byte, 1, 0) == 1 {
        head += byte
      }
    }
  }

  /// The client's end of a local connection.
  private struct ClientSocket {
    private let socket: Int32

    /// Searches the descriptors of this process.
    init?(to port: Int) {
      let found = (0..<4096 as Range<Int32>).first { Self.peerPort(of: $0) == port }
      guard let found else { return nil }
      socket = found
    }

    private static func peerPort(of socket: Int32) -> Int? {
      var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
      let result = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getpeername(socket, $0, &size)
        }
      }
      guard result == 0, address.sin_family == AF_INET else { return nil }
      return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The value of an option; `nil` if it can't be read.
    func option(_ level: Int32, _ name: Int32) -> Int32? {
      var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
      return getsockopt(socket, level, name, &value, &size) == 0 ? value : nil
    }

    /// Waits until there are unread bytes or the end of the connection.
    func becomesReadable() async throws {
      var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      while poll(&request, 1, 0) == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
  }
#endif
