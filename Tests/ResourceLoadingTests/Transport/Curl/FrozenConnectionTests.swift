#if Curl && os(Linux)
  import Foundation
  import Glibc
  import PromiseModule
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// HTTP/2 connections whose server doesn't answer any more.
  @Suite(
    .inTurn, .timeLimit(.minutes(10)),
    .enabled(if: TLSAuthority.isAvailable && OpenSSL.shared != nil, "OpenSSL isn't installed"))
  struct FrozenConnectionTests {
    private let authority: TLSAuthority

    init() throws {
      authority = try TLSAuthority()
      try authority.issue("good", for: "IP:127.0.0.1")
    }

    /// Answers with the number of the connection; on the first one only the first request, and the
    /// head of the second.
    private func makeServer(beginsAnswer: Bool = false) throws -> ConnectionListener {
      let identity = TLSIdentity(authority, "good", speaksHTTP2: true)
      return try ConnectionListener { socket, number in
        guard let channel = TLSPeer(identity, over: socket), let peer = HTTP2Peer(over: channel)
        else { return }
        var isFirst = true
        while let stream = peer.readRequest() {
          if number > 1 || isFirst {
            peer.send(
              .headers([(":status", "200")], on: stream), .data("\(number)", ends: true, on: stream)
            )
          } else if beginsAnswer {
            peer.send(.headers([(":status", "200")], on: stream))
          }
          isFirst = false
        }
      }
    }

    private func makeClient(_ server: ConnectionListener) throws -> (Client, CurlTransport) {
      var configuration = CurlTransport.Configuration()
      configuration.tls.additionalAuthorities = [.file(authority.file("ca.pem"))]
      let transport = CurlTransport(configuration)
      let client = Client(baseURL: URL(string: "https://127.0.0.1:\(server.port)")) {
        $0.transport = transport
      }
      return (client, transport)
    }

    private func request(_ change: (inout Request.Options) -> Void = { _ in }) -> Request {
      var request = Request.get("/")
      change(&request.options)
      return request
    }

    @Test(arguments: [false, true])
    func `a connection on which a load timed out isn't used again`(_ beginsAnswer: Bool)
      async throws
    {
      let server = try makeServer(beginsAnswer: beginsAnswer)
      defer { server.stop() }
      let (client, transport) = try makeClient(server)
      defer { transport.close() }

      let first = try await client.load(.text(request()))
      let frozen = await #expect(throws: LoadError.self) {
        try await client.load(.text(request { $0.timeout = .milliseconds(500) }))
      }
      let later = try await client.load(.text(request()))

      #expect(first == "1")
      #expect(frozen?.kind == .timedOut)
      #expect(later == "2")
      #expect(try await client.load(.text(request())) == "2")
    }

    @Test func `nor is it beside others that still wait on it`() async throws {
      let server = try makeServer()
      defer { server.stop() }
      let (client, transport) = try makeClient(server)
      defer { transport.close() }
      _ = try await client.load(.text(request()))
      let waiting = client.promise(for: Resource.text(request()))
      let error = await #expect(throws: LoadError.self) {
        try await client.load(.text(request { $0.idleTimeout = .milliseconds(500) }))
      }

      let texts = try await [
        client.load(.text(request())), client.load(.text(request())),
      ]
      waiting.cancel()

      #expect(error?.kind == .timedOut)
      #expect(!texts.contains("1"))
    }

    @Test func `a connection is used again when it has answered`() throws {
      var (listener, sockets) = (try Listener(), CurlConnections())
      let pair = try listener.connect()
      defer { for socket in [pair.client, pair.server] { close(socket) } }
      let begun = ContinuousClock.now
      sockets.add(pair.client, port: 7)

      #expect(!sockets.isSuspected(7))
      while !sockets.suspect(7, since: begun) { usleep(1_000) }
      #expect(sockets.isSuspected(7))
      send(pair.server, "x", 1, 0)
      while sockets.isSuspected(7) { usleep(1_000) }
      let isFrozen = sockets.suspect(7, since: .now)
      #expect(!isFrozen)
    }
  }

  /// Makes connections to itself.
  private struct Listener {
    private let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    private var address = sockaddr_in()

    struct Failure: Error {}

    init() throws {
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
        }
      }
      guard isBound, listen(listener, 1) == 0 else { throw Failure() }
    }

    mutating func connect() throws -> (client: Int32, server: Int32) {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      let isConnected = withUnsafePointer(to: address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else { throw Failure() }
      return (client, accept(listener, nil, nil))
    }
  }
#endif
