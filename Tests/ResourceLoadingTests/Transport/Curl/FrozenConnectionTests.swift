#if Curl && os(Linux)
  import Foundation
  import Glibc
  import PromiseModule
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// HTTP/2 connections whose server no longer responds.
  @Suite(.inTurn, .timeLimit(.minutes(10)), .needsOpenSSL)
  struct FrozenConnectionTests {
    private let authority: TLSAuthority

    init() throws { authority = try .withServer() }

    /// Responds with the number of the connection. On the first one, it responds only to the first
    /// request and with the head for the second.
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
      let transport = CurlTransport(authority.trusting)
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

    @Test func `a frozen connection isn't used again while other loads wait on it`() async throws {
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
      let listener = try LocalSocket()
      let client = try #require(LocalSocket.connect(to: listener.port))
      let server = accept(listener.descriptor, nil, nil)
      defer { for socket in [client, server, listener.descriptor] { close(socket) } }
      var sockets = CurlConnections()
      let begun = ContinuousClock.now
      sockets.add(client, port: 7)

      #expect(!sockets.isSuspected(7))
      while !sockets.suspect(7, since: begun) { usleep(1_000) }
      #expect(sockets.isSuspected(7))
      send(server, "x", 1, 0)
      while sockets.isSuspected(7) { usleep(1_000) }
      let isFrozen = sockets.suspect(7, since: .now)
      #expect(!isFrozen)
    }
  }
#endif
