import Foundation
import ResourceLoading
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn)
struct ConnectionIdentityTests {
  private let url = URL(string: "https://api.example.org/me")!

  #if Curl && os(Linux)
    private func identity(
      _ configure: (inout CurlTransport.Configuration) throws -> Void
    ) rethrows -> String? {
      var configuration = CurlTransport.Configuration()
      try configure(&configuration)
      return CurlTransport(configuration).identity(for: url)
    }

    private static func certificate(_ text: String) -> TLSOptions.ClientCertificate {
      .init(certificate: .data(Data(text.utf8)), privateKey: .data(Data("key".utf8)))
    }

    private static func proxy(_ url: String) -> ProxyServer? {
      URL(string: url).map { ProxyServer(url: $0) }
    }

    @Test func `certificates, credentials of a proxy and sockets identify, other settings don't`() {
      let identities = [
        identity { $0.tls.clientCertificate = Self.certificate("a") },
        identity { $0.tls.clientCertificate = Self.certificate("b") },
        identity { $0.proxy = Self.proxy("http://ada:1@proxy.example:1") },
        identity { $0.proxy = Self.proxy("http://ada:2@proxy.example:1") },
        identity { $0.unixSocketPath = "/run/a" }, identity { $0.unixSocketPath = "/run/b" },
      ]

      #expect(Set(identities).count == 6 && !identities.contains(nil))
      #expect(identity { _ in } == nil)
      #expect(identity { $0.proxy = Self.proxy("http://proxy.example:1") } == nil)
      #expect(identity { $0.tls.trustsSystem = false } == nil)
    }

    @Test func `the files of a client certificate are read once`() throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data("a".utf8).write(to: file)
      var configuration = CurlTransport.Configuration()
      configuration.tls.clientCertificate = .init(certificate: .file(file), privateKey: .file(file))
      let transport = CurlTransport(configuration)
      let before = transport.identity(for: url)

      try Data("b".utf8).write(to: file)

      #expect(transport.identity(for: url) == before)
      #expect(CurlTransport(configuration).identity(for: url) != before)
    }
  #endif

  @Test func `additional headers of a session identify, and the cookies of a borrowed one`() throws
  {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["Accept": "a/b"]
    #expect(URLSessionTransport(configuration: configuration).identity(for: url) == nil)
    configuration.httpAdditionalHeaders = ["Authorization": "Bearer a"]
    #expect(
      URLSessionTransport(configuration: configuration).identity(for: url)
        == "header authorization: Bearer a")

    let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    let cookie = HTTPCookie(properties: [
      .domain: "api.example.org", .path: "/", .name: "sid", .value: "1",
    ])
    storage.setCookie(try #require(cookie))
    configuration.httpCookieStorage = storage
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    #expect(
      URLSessionTransport(session: session).identity(for: url)
        == "cookie sid=1\nheader authorization: Bearer a")
  }
}
