#if Curl && os(Linux)
  import Foundation
  import ResourceTesting
  import TestSupport
  import Testing

  @testable import ResourceLoading

  /// Settings that libcurl would ignore or refuse. No load continues without them.
  @Suite(.inTurn, .timeLimit(.minutes(15)))
  struct ProxySettingTests {
    private func failure(
      _ url: URL, _ configure: (inout CurlTransport.Configuration) -> Void
    ) async -> LoadError? {
      var configuration = CurlTransport.Configuration()
      configure(&configuration)
      let transport = CurlTransport(configuration)
      defer { transport.close() }
      let client = Client { $0.transport = transport }
      return await Form.await.load(.text(url), with: client).failure as? LoadError
    }

    /// User info whose bytes libcurl doesn't send; it would connect without the proxy.
    static let userInfos = [
      "me:secret%0A", "me:%0Asecret", "me:sec%0Dret", "me%0A:secret", "%00:secret", "me:%1Fsecret",
      "me:secret%7F", "me%01", "me:secret%00", "me:%FFsecret%0A",
    ]

    @Test(arguments: userInfos, ["http", "https", "socks4", "socks4a", "socks5", "socks5h"])
    func `a proxy with a control character in its user info is refused and not bypassed`(
      _ userInfo: String, _ scheme: String
    ) async throws {
      let (origin, proxy) = (
        try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "direct") } },
        try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "proxy") } }
      )
      defer {
        origin.stop()
        proxy.stop()
      }
      let address = "\(scheme)://\(userInfo)@127.0.0.1:\(proxy.port)"
      let settings = ProxyServer(url: try #require(URL(string: address)))

      let failure = await failure(origin.url()) { $0.proxy = settings }
      let ofClient = await Form.await.load(
        .text(origin.url()), with: Client { $0.proxy = settings }
      ).failure

      #expect(failure?.kind == .invalidRequest)
      #expect(
        failure?.reason.contains("control character") == true, "\(String(describing: failure))")
      #expect((ofClient as? LoadError)?.kind == .invalidRequest)
      #expect(!"\(failure as Any) \(String(reflecting: failure))".contains("secret"))
      #expect(origin.requests.isEmpty)
    }

    @Test(
      arguments: [
        "http://", "http://[::1", "http://127.0.0.1:0", "http://127.0.0.1:99999", "http:127.0.0.1",
        "gopher://127.0.0.1", "http://a%0Ab/", "http://a%20b/", "http://%25/", "http://..:1",
        "http://127.0.0.1:1/path?query#fragment", "http://user;options:secret@127.0.0.1:1",
      ])
    func `a proxy that can't be used is never bypassed`(_ address: String) async throws {
      let origin = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "direct") } }
      defer { origin.stop() }
      guard let url = URL(string: address) else { return }

      let failure = await failure(origin.url()) { $0.proxy = ProxyServer(url: url) }

      #expect(failure != nil)
      #expect(origin.requests.isEmpty)
      #expect(!"\(failure as Any) \(String(reflecting: failure))".contains("secret"))
    }

    @Test func `libcurl's messages about a proxy don't show its credentials`() async throws {
      let url = try #require(URL(string: "http://user:hunter22@a%0Ab/"))
      let origin = try #require(URL(string: "http://origin.invalid/"))

      let failure = await failure(origin) { $0.proxy = ProxyServer(url: url) }

      let underlying = try #require(failure?.underlying as? CurlTransport.Failure)
      var text = "\(underlying) \(String(reflecting: underlying))"
      dump(underlying, to: &text)
      #expect(text.contains("proxy"), "\(text)")
      #expect(!text.contains("hunter22"), "\(text)")
    }

    @Test func `a proxy beside a Unix domain socket is refused and not bypassed`() async throws {
      let server = try UnixServer { _ in
        Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
      }
      defer { server.stop() }
      let (url, proxy) = (URL(string: "http://a.invalid/"), URL(string: "http://127.0.0.1:1"))

      let failure = await failure(try #require(url)) {
        $0.unixSocketPath = server.path
        $0.proxy = proxy.map { ProxyServer(url: $0) }
      }

      #expect(failure?.kind == .invalidRequest)
      #expect(failure?.reason.contains("Unix domain socket") == true)
    }

    @Test(arguments: [108, 5_000])
    func `the error names an invalid path of a Unix domain socket`(_ length: Int) async throws {
      let path = "/tmp/" + String(repeating: "x", count: length - 5)
      let url = try #require(URL(string: "http://a.invalid/"))

      let failure = await failure(url) { $0.unixSocketPath = path }

      #expect(failure?.kind == .invalidRequest)
      #expect(failure?.reason.contains("\(length) bytes") == true, "\(String(describing: failure))")
      #expect(failure?.advice == "Use a path of at most 107 bytes")
    }

    @Test func `the error names a missing Unix domain socket`() async throws {
      let url = try #require(URL(string: "http://a.invalid/"))

      let failure = await failure(url) { $0.unixSocketPath = "/tmp/no-such.socket" }

      #expect(failure?.kind == .connection)
      #expect(
        failure?.reason.contains("the Unix domain socket /tmp/no-such.socket can't be connected to")
          == true, "\(String(describing: failure))")
      #expect(failure?.isUnsent == true)
    }

    @Test func `an option that libcurl refuses fails the load, and the error names it`()
      async throws
    {
      let origin = try LoopbackServer { LoopbackRoute("*") { _ in .response(body: "direct") } }
      defer { origin.stop() }
      // libcurl takes no text of more than 8 MB.
      let exceptions = [String(repeating: "x", count: 9_000_000)]
      let proxy = try #require(URL(string: "http://127.0.0.1:1"))

      let failure = await failure(origin.url()) {
        $0.proxy = ProxyServer(url: proxy, exceptions: exceptions)
      }

      #expect(failure?.kind == .invalidRequest)
      #expect(failure?.reason.contains("NOPROXY") == true, "\(String(describing: failure))")
      #expect(origin.requests.isEmpty)
    }
  }
#endif
