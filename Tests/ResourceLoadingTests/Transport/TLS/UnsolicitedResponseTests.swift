#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// A server that sends another response after the requested one, over TLS. OpenSSL may have
  /// decrypted it with the end of the first one, and then the socket has no unread bytes.
  @Suite(.inTurn, .timeLimit(.minutes(10)), .needsOpenSSL)
  struct UnsolicitedResponseTests {
    private let authority: TLSAuthority

    init() throws { authority = try .withServer() }

    static let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL"
    static let honest = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhonest"

    /// What the server sends on its first connection after the first request.
    struct Form: Sendable, CustomTestStringConvertible {
      var name: String
      var method = "GET"
      /// The first element is sent immediately, and each other one when the client has read the
      /// head. The texts of an element are records that are sent together.
      var records: [[String]]

      init(_ name: String, method: String = "GET", _ records: [String]...) {
        self.name = name
        self.method = method
        self.records = records
      }

      var testDescription: String { name }

      private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
      private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

      static let all = [
        Form("in the record of the body", [head], ["first\(evil)"]),
        Form("in the record of the body's end", [head + "fi"], ["rst\(evil)"]),
        Form("in a record of its own", [head], ["first", evil]),
        Form("in the record of the whole response", [head + "first" + evil]),
        Form("in a record of its own, behind the whole response", [head + "first", evil]),
        Form("in the record of the last chunk", [chunked], ["5\r\nfirst\r\n0\r\n\r\n\(evil)"]),
        Form(
          "in the record of the end of chunks", [chunked, "5\r\nfirst\r\n"], ["0\r\n\r\n\(evil)"]),
        Form(
          "in a record of its own, behind chunks", [chunked], ["5\r\nfirst\r\n0\r\n\r\n", evil]),
        Form("behind trailers", [chunked], ["5\r\nfirst\r\n0\r\nX-A: b\r\n\r\n\(evil)"]),
        Form("behind a 204", ["HTTP/1.1 204 No Content\r\n\r\n\(evil)"]),
        Form("behind a 204, in a record of its own", ["HTTP/1.1 204 No Content\r\n\r\n", evil]),
        Form("behind a 304", ["HTTP/1.1 304 Not Modified\r\n\r\n\(evil)"]),
        Form("behind an empty body", ["HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n\(evil)"]),
        Form("as the body of a HEAD", method: "HEAD", [head + evil]),
        Form("as the body of a HEAD, in a record of its own", method: "HEAD", [head, evil]),
        Form(
          "behind HTTP/1.0",
          [
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n"
          ], ["first\(evil)"]),
        Form(
          "behind an interim response", ["HTTP/1.1 103 Early Hints\r\n\r\n\(head)"],
          ["first\(evil)"]),
        Form("twice", [head], ["first\(evil)\(evil)"]),
        Form("cut in its head", [head], ["firstHTTP/1.1 200 OK\r\nContent-Length: 4\r\n"]),
        Form("cut in its body", [head], ["first\(evil.dropLast(2))"]),
        Form("as a byte", [head], ["first!"]),
        Form("as line ends", [head], ["first\r\n\r\n"]),
        Form(
          "behind a status line of HTTP/2", ["HTTP/2 200 \r\nContent-Length: 5\r\n\r\n"],
          ["first\(evil)"]),
        Form(
          "behind a status line of HTTP/2, in a record of its own",
          [
            "HTTP/2 200 \r\nContent-Length: 5\r\n\r\n"
          ], ["first", evil]),
      ]
    }

    /// Serves a form on the first connection, and correct responses to all later requests and on
    /// all other connections.
    private static func serve(_ channel: any ByteChannel, _ form: Form, _ gate: Gate, _ number: Int)
    {
      guard channel.readHead() != nil else { return }
      guard number == 1 else {
        repeat { channel.send(honest) } while channel.readHead() != nil
        return
      }
      for (index, records) in form.records.enumerated() {
        if index > 0 { gate.blockUntilOpen() }
        if let peer = channel as? TLSPeer {
          peer.flush(records.flatMap { peer.seal(Array($0.utf8)) })
        } else {
          channel.send(records.joined())
        }
      }
      while channel.readHead() != nil { channel.send(honest) }
    }

    private func makeServer(
      _ form: Form, _ gate: Gate, _ version: TLSIdentity.Version = .tls13
    ) throws -> ConnectionListener {
      let identity = TLSIdentity(authority, "good", version)
      return try ConnectionListener { socket, number in
        guard let peer = TLSPeer(identity, over: socket) else { return }
        Self.serve(peer, form, gate, number)
      }
    }

    @Test(arguments: Form.all, TLSIdentity.Version.allCases)
    func `no response is used for the next request`(
      _ form: Form, _ version: TLSIdentity.Version
    ) async throws {
      let gate = Gate()
      let server = try makeServer(form, gate, version)
      defer { server.stop() }
      let transport = CurlTransport(authority.trusting)
      defer { transport.close() }

      let bodies = try await load(form, "https://127.0.0.1:\(server.port)/", transport, gate)

      #expect(bodies.allSatisfy { $0 == "honest" }, "\(bodies)")
    }

    /// A route to the server through a proxy.
    enum Route: String, CaseIterable, Sendable {
      /// A tunnel through a proxy without TLS.
      case tunnel
      /// A proxy with TLS that forwards requests without TLS.
      case secureProxy
      /// A tunnel through a proxy with TLS, which is TLS within TLS.
      case secureTunnel

      var proxyScheme: String { self == .tunnel ? "http" : "https" }
      var scheme: String { self == .secureProxy ? "http" : "https" }

      /// Accepts a connection as the proxy, and returns the connection to the server.
      func accept(_ socket: ServerSocket, _ identity: TLSIdentity) -> (any ByteChannel)? {
        var channel: any ByteChannel = socket
        if proxyScheme == "https" {
          guard let peer = TLSPeer(identity, over: channel) else { return nil }
          channel = peer
        }
        guard scheme == "https" else { return channel }
        guard channel.readHead()?.hasPrefix("CONNECT ") == true else { return nil }
        channel.send("HTTP/1.1 200 OK\r\n\r\n")
        return TLSPeer(identity, over: channel)
      }
    }

    @Test(arguments: Route.allCases, Form.all)
    func `no response is used for the next request behind a proxy`(_ route: Route, _ form: Form)
      async throws
    {
      let (gate, identity) = (Gate(), TLSIdentity(authority, "good"))
      let proxy = try ConnectionListener { socket, number in
        guard let channel = route.accept(socket, identity) else { return }
        Self.serve(channel, form, gate, number)
      }
      defer { proxy.stop() }
      var configuration = authority.trusting
      let url = try #require(URL(string: "\(route.proxyScheme)://127.0.0.1:\(proxy.port)/"))
      configuration.proxy = ProxyServer(url: url)
      let transport = CurlTransport(configuration)
      defer { transport.close() }

      let bodies = try await load(form, "\(route.scheme)://127.0.0.1:1/", transport, gate)

      #expect(bodies.allSatisfy { $0 == "honest" }, "\(bodies)")
    }

    @Test func `a response that came before its request isn't used for a redirect`() async throws {
      let gate = Gate()
      let form = Form(
        "a redirect", ["HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 5\r\n\r\n"],
        ["first\(Self.evil)"])
      gate.open()
      let server = try makeServer(form, gate)
      defer { server.stop() }
      let transport = CurlTransport(authority.trusting)
      defer { transport.close() }
      let client = Client(baseURL: URL(string: "https://127.0.0.1:\(server.port)")) {
        $0.transport = transport
      }

      #expect(try await client.load(.text(.get("/"))) == "honest")
    }

    @Test func `an idle connection without unread bytes is used again over TLS`() async throws {
      let (identity, accepted) = (TLSIdentity(authority, "good"), Gate())
      let server = try ConnectionListener { socket, _ in
        guard let peer = TLSPeer(identity, over: socket) else { return }
        if accepted.isOpen { return }
        accepted.open()
        while peer.readHead() != nil { peer.send(Self.honest) }
      }
      defer { server.stop() }
      let transport = CurlTransport(authority.trusting)
      defer { transport.close() }
      let client = Client(baseURL: URL(string: "https://127.0.0.1:\(server.port)")) {
        $0.transport = transport
      }

      for _ in 0..<20 { #expect(try await client.load(.text(.get("/"))) == "honest") }
    }

    /// Loads four times and returns the bodies of all responses except the first.
    private func load(
      _ form: Form, _ url: String, _ transport: CurlTransport, _ gate: Gate
    ) async throws -> [String] {
      let url = try #require(URL(string: url))
      let first = ExchangeLog { gate.open() }
      _ = transport.start(
        try WireRequest(Request(.init(rawValue: form.method), url: url)), receiver: first)
      _ = await first.end()
      var bodies = [String]()
      for _ in 0..<3 {
        let log = ExchangeLog()
        _ = transport.start(try WireRequest(Request(url: url)), receiver: log)
        let record = await log.end()
        bodies.append(
          record.failure.map { "\($0)" } ?? String(decoding: record.body, as: UTF8.self))
      }
      return bodies
    }
  }
#endif
