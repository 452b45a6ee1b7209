import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ConnectionOptionTests {
  private let pin = Data(count: 32).base64EncodedString()

  private func makeServer(_ name: String) throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("*") { .response(body: "\(name): \($0.method) \($0.target)") }
    }
  }

  /// Checks that a configuration is refused and that a client with it sends nothing.
  private func expectRefusal(
    _ reason: String,
    _ configure: (inout Client.Configuration) throws -> Void
  ) async throws {
    let server = try makeServer("server")
    defer { server.stop() }
    var configuration = Client.Configuration(baseURL: server.url())
    try configure(&configuration)

    let checked = #expect(throws: LoadError.self) { try configuration.check() }
    let loaded = await Form.await.load(.text(.get("a")), with: Client(configuration)).failure

    for error in [checked, loaded as? LoadError] {
      #expect(error?.kind == .invalidRequest)
      #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }
    #expect(server.requests.isEmpty)
  }

  @Test func `a pin that isn't a SHA-256 is refused`() async throws {
    try await expectRefusal("isn't a SHA-256") {
      $0.tls.pins = .init("sha256/" + pin, backup: pin)
    }
  }

  @Test(arguments: ["ftp://proxy.example.org", "http:///", "proxy.example.org:3128"])
  func `an invalid proxy is refused`(_ text: String) async throws {
    let url = try #require(URL(string: text))

    try await expectRefusal("the proxy's URL") { $0.proxy = ProxyServer(url: url) }
  }

  @Test func `options are refused with a transport that doesn't support them`() async throws {
    let proxy = ProxyServer(url: try #require(URL(string: "http://proxy.example.org")))

    try await expectRefusal("the client has a transport") {
      $0.transport = URLSessionTransport()
      $0.tls.minimumVersion = .tls13
    }
    try await expectRefusal("the client has a transport") {
      $0.transport = URLSessionTransport()
      $0.proxy = proxy
    }
  }

  @Test func `a client without options is accepted`() throws {
    try Client.Configuration().check()
    var configuration = Client.Configuration()
    configuration.transport = URLSessionTransport()
    try configuration.check()
  }

  #if Curl && os(Linux)
    @Test func `everything except the exceptions goes through the proxy`() async throws {
      let (proxy, server) = (try makeServer("proxy"), try makeServer("server"))
      defer {
        proxy.stop()
        server.stop()
      }
      let client = Client {
        $0.proxy = ProxyServer(url: proxy.url(), exceptions: ["127.0.0.1"])
      }
      let elsewhere = try #require(URL(string: "http://elsewhere.invalid/a"))

      #expect(try await client.load(.text(elsewhere)) == "proxy: GET http://elsewhere.invalid/a")
      #expect(try await client.load(.text(server.url("/b"))) == "server: GET /b")
    }
  #endif

  #if canImport(FoundationNetworking)
    @Test func `URLSession on Linux refuses all of the options`() throws {
      let proxy = ProxyServer(url: try #require(URL(string: "http://proxy.example.org")))
      var tls = TLSOptions()
      tls.minimumVersion = .tls13

      let failures = [
        #expect(throws: LoadError.self) { try URLSessionTransport(tls: tls) },
        #expect(throws: LoadError.self) {
          try URLSessionTransport(tls: TLSOptions(), proxy: proxy)
        },
      ]

      for failure in failures {
        #expect(failure?.kind == .invalidRequest)
        #expect(failure?.reason.hasPrefix("URLSession can't do") == true)
        #expect(failure?.advice?.contains("libcurl") == true)
      }
    }
  #endif
}
