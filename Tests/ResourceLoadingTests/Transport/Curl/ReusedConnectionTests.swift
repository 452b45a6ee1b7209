#if Curl && os(Linux)
  import Foundation
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

    /// Waits until something has arrived that nobody has read, be it the connection's end.
    func becomesReadable() async throws {
      var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      while poll(&request, 1, 0) == 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
  }
#endif
