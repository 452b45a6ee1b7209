#if Curl && os(Linux)
  import Foundation
  import ResourceLoading
  import ResourceTesting
  import TestSupport
  import Testing

  /// The ways on which `CurlTransport` comes to a server.
  @Suite(.inTurn, .timeLimit(.minutes(10)))
  struct ConnectingTests {
    private func load(
      _ url: URL, _ configure: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) async -> Result<String, any Error> {
      var configuration = CurlTransport.Configuration()
      configure(&configuration)
      let transport = CurlTransport(configuration)
      defer { transport.close() }
      return await Form.await.load(.text(url), with: Client { $0.transport = transport })
    }

    /// Answers with what it was asked for.
    private func makeServer(
      _ address: LoopbackAddress = .ipv4, name: String = "server"
    ) throws -> LoopbackServer {
      var configuration = LoopbackServer.Configuration()
      configuration.address = address
      return try LoopbackServer(configuration) {
        LoopbackRoute("*") { request in
          .response(body: "\(name): \(request.method) \(request.target)")
        }
      }
    }

    @Test(arguments: Engine.allCases.filter { $0 != .urlSession })
    func `an IPv6 literal is a host`(_ engine: Engine) async throws {
      guard let server = try? makeServer(.ipv6) else {
        return print("skipped: there is no IPv6 loopback here")
      }
      defer { server.stop() }

      #expect(server.url().host() == "::1")
      #expect(try await load(server.url("/six")).get() == "server: GET /six")
    }

    @Test func `a Unix domain socket takes the place of every host`() async throws {
      let server = try UnixServer { _ in
        Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
      }
      defer { server.stop() }
      let url = try #require(URL(string: "http://nowhere.invalid/"))

      #expect(try await load(url) { $0.unixSocketPath = server.path }.get() == "ok")
    }

    @Test func `all requests except those to the exceptions go through the proxy`() async throws {
      let (proxy, server) = (try makeServer(name: "proxy"), try makeServer())
      defer {
        proxy.stop()
        server.stop()
      }
      let elsewhere = try #require(URL(string: "http://elsewhere.invalid/a"))
      let configure = { (configuration: inout CurlTransport.Configuration) in
        configuration.proxy = .init(url: proxy.url(), exceptions: ["127.0.0.1"])
      }

      let foreign = try await load(elsewhere, configure).get()
      let excepted = try await load(server.url("/b"), configure).get()

      #expect(foreign == "proxy: GET http://elsewhere.invalid/a")
      #expect(excepted == "server: GET /b")
    }

    @Test func `a proxy alone gets its credentials`() async throws {
      let proxy = try LoopbackServer { LoopbackRoute("*") { _ in .status(407) } }
      let server = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "ok") } }
      defer {
        proxy.stop()
        server.stop()
      }
      var url = try #require(URLComponents(url: proxy.url(), resolvingAgainstBaseURL: false))
      (url.user, url.password) = ("me", "hunter2")
      let settings = ProxyServer(url: try #require(url.url), exceptions: ["127.0.0.1"])
      let plain = try #require(URL(string: "http://elsewhere.invalid/"))
      let secure = try #require(URL(string: "https://elsewhere.invalid/"))

      let failures = [
        await load(plain) { $0.proxy = settings }.failure,
        await load(secure) { $0.proxy = settings }.failure,
      ]
      _ = try await load(server.url()) { $0.proxy = settings }.get()

      let sent = proxy.requests.map { $0.header("Proxy-Authorization") }
      #expect(sent == ["Basic bWU6aHVudGVyMg==", "Basic bWU6aHVudGVyMg=="])
      #expect(server.requests.map { $0.header("Proxy-Authorization") } == [nil])
      var text = failures.map { "\(String(describing: $0)) \(String(reflecting: $0))" }.joined()
      text += "\(settings) \(String(reflecting: settings))"
      dump(settings, to: &text)
      for secret in ["hunter2", "bWU6"] { #expect(!text.contains(secret), "\(text)") }
    }

    @Test func `the error names a proxy that refuses a tunnel`() async throws {
      let proxy = try LoopbackServer { LoopbackRoute("*") { _ in .status(403) } }
      defer { proxy.stop() }
      let url = try #require(URL(string: "https://elsewhere.invalid/"))

      let failure = await load(url) { $0.proxy = .init(url: proxy.url()) }.failure as? LoadError

      #expect(failure?.kind == .connection)
      #expect(failure?.reason.hasPrefix("the proxy refused") == true)
      #expect(failure?.reason.contains("403") == true, "\(String(describing: failure))")
      #expect(failure?.advice == "Check the proxy and its credentials")
    }

    @Test func `no proxy comes from the environment`() async throws {
      let server = try makeServer()
      defer { server.stop() }

      await #expect(processExitsWith: .success) { [url = server.url() as URL] in
        Watchdog.endsProcess()
        for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
          setenv(name, "http://127.0.0.1:1", 1)
        }
        guard try await Client().load(.text(url)) == "server: GET /" else { throw Broken("no") }
      }
    }

    @Test func `connecting has a time limit`() async throws {
      let port = try UnservedPort(.silent)

      let failure = await load(port.url()) { $0.connectTimeout = .milliseconds(100) }.failure

      #expect((failure as? LoadError)?.kind == .timedOut)
      #expect((failure as? LoadError)?.advice == "Raise the transport's connectTimeout")
    }
  }
#endif
