#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// How sockets are connected: over TLS, through proxies, after redirects, to addresses.
  @Suite(.inTurn, .timeLimit(.minutes(15)), .serialized, .needsOpenSSL)
  struct SecureSocketTests {
    private let authority: TLSAuthority

    init() throws { authority = try .withServer() }

    private func client(_ configure: (inout TLSOptions) throws -> Void = { _ in }) rethrows
      -> Client
    {
      var configuration = Client.Configuration()
      configuration.tls.additionalAuthorities = [.file(authority.file("ca.pem"))]
      try configure(&configuration.tls)
      return Client(configuration)
    }

    /// Sends a message to a server, which sends it back, and returns the error if that fails.
    private func failure(
      of server: TLSIdentity, _ client: Client, ws host: String = "127.0.0.1"
    ) async throws -> LoadError? {
      let server = try TLSSocketServer(server)
      defer { server.stop() }
      do {
        try await client.socket(.get(server.url(host))).withConnection { connection in
          let long = String(repeating: "hello", count: 20_000)
          for text in ["hello", long] {
            try await connection.send(.text(text))
            #expect(try await connection.messages.first { _ in true } == .text(text))
          }
        }
        return nil
      } catch let error as LoadError {
        return error
      }
    }

    @Test(arguments: TLSIdentity.Version.allCases)
    func `a server of a trusted authority sends messages back`(version: TLSIdentity.Version)
      async throws
    {
      #expect(try await failure(of: TLSIdentity(authority, "good", version), client()) == nil)
    }

    @Test func `a server of an unknown authority isn't trusted`() async throws {
      let untrusting = client { $0.additionalAuthorities = [] }

      let error = try await failure(of: TLSIdentity(authority, "good"), untrusting)

      #expect(error?.kind == .secureConnection)
      #expect(error?.reason.contains("isn't trusted") == true)
    }

    @Test func `a server with another name or an expired certificate isn't trusted`() async throws {
      try authority.issue("other", for: "DNS:other.example")
      try authority.issue("old", for: "IP:127.0.0.1", days: -1)

      let other = try await failure(of: TLSIdentity(authority, "other"), client())
      let old = try await failure(of: TLSIdentity(authority, "old"), client())

      #expect(other?.kind == .secureConnection)
      #expect(other?.reason.contains("for another name") == true)
      #expect(old?.reason.contains("has expired") == true)
    }

    @Test func `a pinned key is accepted, another isn't`() async throws {
      let (pin, other) = (try authority.pin(of: "good"), Data(count: 32).base64EncodedString())
      let identity = TLSIdentity(authority, "good")

      let accepted = try await failure(of: identity, client { $0.pins = .init(other, backup: pin) })
      let refused = try await failure(
        of: identity, client { $0.pins = .init(other, backup: other) })

      #expect(accepted == nil)
      #expect(refused?.kind == .secureConnection)
      #expect(refused?.reason.contains("pinned") == true)
    }

    @Test(arguments: TLSIdentity.Version.allCases)
    func `a server that requires a client certificate gets it`(version: TLSIdentity.Version)
      async throws
    {
      try authority.issue("me", for: "DNS:me.example")
      var identity = TLSIdentity(authority, "good", version)
      identity.clientAuthority = authority.file("ca.pem").path
      let showing = client {
        $0.clientCertificate = .init(
          certificate: .file(authority.file("me.pem")), privateKey: .file(authority.file("me.key")))
      }

      let shown = try await failure(of: identity, showing)
      let hidden = try await failure(of: identity, client())

      #expect(shown == nil)
      #expect(hidden != nil)
    }

    @Test func `a redirect to a URL of wss is followed, and one back to ws isn't`() async throws {
      let server = try TLSSocketServer(TLSIdentity(authority, "good"))
      let downgrading = try TLSSocketServer(
        TLSIdentity(authority, "good"), redirectingTo: "ws://127.0.0.1:\(server.port)/echo")
      let plain = try LoopbackServer {
        LoopbackRoute("GET /old", .redirect(to: server.url().absoluteString))
      }
      defer {
        plain.stop()
        downgrading.stop()
        server.stop()
      }

      try await client().socket(.get(plain.url("/old"))).withConnection { connection in
        try await connection.send("over TLS")
        #expect(try await connection.messages.first { _ in true } == "over TLS")
        #expect(connection.url.scheme == "https")
      }
      let error = await #expect(throws: LoadError.self) {
        try await client().socket(.get(downgrading.url())).connect()
      }

      #expect(error?.kind == .redirect, "\(String(describing: error))")
    }

    @Test func `a socket over TLS goes through a proxy's tunnel`() async throws {
      let proxy = try TunnelServer(credentials: "me:secret", TLSIdentity(authority, "good"))
      defer { proxy.stop() }
      var configuration = Client.Configuration()
      configuration.tls.additionalAuthorities = [.file(authority.file("ca.pem"))]
      configuration.proxy = ProxyServer(url: proxy.url("me:secret"))
      let url = try #require(URL(string: "wss://127.0.0.1:9/echo"))

      try await Client(configuration).socket(.get(url)).withConnection { connection in
        try await connection.send("through")
        #expect(try await connection.messages.first { _ in true } == "through")
      }
    }
  }

  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct SocketConnectionTests {
    @Test func `a socket goes through a tunnel, and only the proxy gets its credentials`()
      async throws
    {
      let proxy = try TunnelServer(credentials: "me:secret")
      let client = Client { $0.proxy = ProxyServer(url: proxy.url("me:secret")) }
      var request = Request.get(try #require(URL(string: "ws://elsewhere.invalid/echo")))
      request.headers["Authorization"] = "Bearer of the server"

      try await client.socket(request).withConnection { connection in
        try await connection.send("through")
        #expect(try await connection.messages.first { _ in true } == "through")
      }
      proxy.stop()

      let outer = try #require(proxy.heads.first)
      #expect(outer.hasPrefix("CONNECT elsewhere.invalid:80 "))
      #expect(SocketServer.value(of: "Authorization", in: outer) == nil)
      #expect(SocketServer.value(of: "Sec-WebSocket-Key", in: outer) == nil)
    }

    @Test func `a proxy that wants other credentials is an error that names it`() async throws {
      let proxy = try TunnelServer(credentials: "me:secret")
      defer { proxy.stop() }
      let url = try #require(URL(string: "ws://elsewhere.invalid/echo"))

      for credentials in [nil, "me:other"] {
        let client = Client { $0.proxy = ProxyServer(url: proxy.url(credentials)) }
        let error = await #expect(throws: LoadError.self) {
          try await client.socket(.get(url)).connect()
        }

        #expect(error?.kind == .connection)
        #expect(error?.reason.hasPrefix("the proxy") == true, "\(String(describing: error))")
        #expect(!"\(String(describing: error))".contains("other@"))
      }
    }

    private func listening(_ requests: LoopbackRoute...) throws -> LoopbackServer {
      try LoopbackServer {
        for route in requests { route }
        LoopbackRoute("GET /live") { _ in .socket { _ = try $0.receive() } }
      }
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect to another origin is followed without credentials`(status: Int) async throws {
      let target = try listening()
      let server = try listening(
        LoopbackRoute("GET /old", .redirect(to: target.url("/live").absoluteString, status: status))
      )
      defer {
        target.stop()
        server.stop()
      }
      var request = Request.get("/old")
      request.headers["Authorization"] = "Bearer secret"
      request.headers["Cookie"] = "a=b"
      request.headers["X-Api-Key"] = "secret"

      try await Client(baseURL: server.url()).socket(request).withConnection { connection in
        #expect(connection.url == target.url("/live"))
      }

      let (first, second) = (
        try #require(server.requests.first), try #require(target.requests.first)
      )
      #expect(first.header("Authorization") == "Bearer secret")
      for name in ["Authorization", "Cookie", "X-Api-Key"] { #expect(second.header(name) == nil) }
      #expect(second.header("Upgrade") == "websocket")
      #expect(second.header("Sec-WebSocket-Key") != first.header("Sec-WebSocket-Key"))
    }

    @Test(arguments: ["ws", "http"])
    func `a redirect to a URL of ws is followed as one to a URL of http`(scheme: String)
      async throws
    {
      let target = try listening()
      let location = "\(scheme)://127.0.0.1:\(target.port)/live"
      let server = try listening(LoopbackRoute("GET /old", .redirect(to: location)))
      defer {
        target.stop()
        server.stop()
      }

      try await Client(baseURL: server.url()).socket(.get("/old")).withConnection { connection in
        #expect(connection.url == target.url("/live"))
      }

      #expect(target.requests.count == 1)
    }

    @Test func `redirects in a circle end`() async throws {
      let server = try listening(LoopbackRoute("GET /old", .redirect(to: "/old")))
      defer { server.stop() }

      let error = await #expect(throws: LoadError.self) {
        try await Client(baseURL: server.url()).socket(.get("/old")).connect()
      }

      #expect(error?.kind == .redirect, "\(String(describing: error))")
    }

    @Test func `a private address is refused, also after a redirect`() async throws {
      let target = try listening()
      let server = try listening(
        LoopbackRoute("GET /old", .redirect(to: "http://127.0.0.2:\(target.port)/live")))
      defer {
        target.stop()
        server.stop()
      }
      for (policy, path, requests) in [
        (CurlTransport.AddressPolicy.publicOnly, "live", 0),
        (.publicOnly(and: ["127.0.0.1"]), "old", 1),
      ] {
        var configuration = CurlTransport.Configuration()
        configuration.addresses = policy
        let client = Client(baseURL: server.url()) { $0.transport = CurlTransport(configuration) }

        let error = await #expect(throws: LoadError.self) {
          try await client.socket(.get("/\(path)")).connect()
        }

        #expect(error?.kind == .address, "\(String(describing: error))")
        #expect(server.requests.count == requests)
      }
      #expect(target.statistics.accepted == 0)
    }
  }
#endif
