#if Curl && os(Linux)
  import Foundation
  import FoundationNetworking
  import Glibc
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// What servers do to connections that are idle.
  @Suite(.inTurn, .timeLimit(.minutes(10)))
  struct ReusedConnectionTests {
    private func send(
      _ request: Request, over transport: CurlTransport
    ) async throws -> ExchangeLog.Record {
      let log = ExchangeLog()
      _ = transport.start(try WireRequest(request), receiver: log)
      return await log.end()
    }

    /// Answers the first request, and does something to its connection when the gate is open.
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
    func `bytes that arrive without a request aren't taken for a response`(
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
    func `a request that the server may have is no unsent one, although the server is gone then`(
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
    func `a POST that was sent to a server that is gone then is no unsent one`(
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

    @Test func `a POST over a session of one's own may have been sent, if nobody tells`()
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

    @Test func `a GET that can't be sent over a session is an unsent one`() async throws {
      let port = try UnservedPort(.refusing)

      let failure = await #expect(throws: LoadError.self) {
        try await Client(.urlSession).load(.void(.get(port.url())))
      }

      #expect(failure?.isUnsent == true, "\(String(describing: failure))")
    }

    @Test func `a silent connection is probed, so that a server that is gone is noticed`()
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

  /// Takes one connection and no other, answers its first request, and closes it when it has the
  /// second one.
  private final class LeavingServer: Sendable {
    let url: URL

    struct Failure: Error {}

    init() throws {
      let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var (address, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      let isBound = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
        }
      }
      guard isBound, listen(listener, 1) == 0,
        let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/")
      else { throw Failure() }
      self.url = url
      Thread.detachNewThread {
        let socket = accept(listener, nil, nil)
        close(listener)
        Self.readHead(of: socket)
        // What isn't read of a body stands before the next head.
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

  /// The client's end of a connection to a port of this machine.
  private struct ClientSocket {
    private let socket: Int32

    /// Looks through the descriptors of this process.
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

    /// Waits until something has arrived that nobody has read, be it the connection's end.
    func becomesReadable() async throws {
      var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      while poll(&request, 1, 0) == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
  }
#endif
