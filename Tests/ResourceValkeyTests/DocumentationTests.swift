#if Valkey && os(Linux)
  import Foundation
  import ResourceCache
  import ResourceLoading
  import ResourceValkey
  import TestSupport
  import Testing

  struct DocumentationTests {
    @Test func `a service creates its client without connecting`() throws {
      let (url, password) = (try #require(URL(string: "https://api.example.org")), "secret")
      let server = ValkeyServer(.host("cache.internal")) { $0.password = password }
      let cache = HTTPCache(.valkey(server))
      let client = Client(baseURL: url) {
        $0.middleware = [CoalescingMiddleware(), cache, RetryMiddleware()]
      }

      #expect(server.isAvailable)
      client.close()
    }

    @Test func `a service trusts its own authority only`() {
      let authority = URL(filePath: "/etc/service/authority.pem")
      let server = ValkeyServer(.host("cache.internal", port: 6380)) {
        $0.tls = TLSOptions()
        $0.tls?.trustsSystem = false
        $0.tls?.additionalAuthorities = [.file(authority)]
      }

      #expect(server.isAvailable)
    }

    @Test func `a service limits the requests of all its processes`() throws {
      let url = try #require(URL(string: "https://api.example.org"))
      let server = ValkeyServer(.unixSocket("/none"))
      let limit = SharedRateLimitMiddleware(100, per: .seconds(60), on: server)
      let client = Client(baseURL: url) { $0.middleware = [RetryMiddleware(), limit] }
      client.close()
    }

    @Test func `every sample of the documentation is compiled`() throws {
      let compiled = DocumentationSamples.trimmed(
        try String(contentsOf: URL(filePath: #filePath), encoding: .utf8))

      let samples = try DocumentationSamples.all(in: "Sources/ResourceValkey")
      #expect(samples.count >= 3)
      for sample in samples {
        #expect(compiled.contains(sample), "not compiled:\n\(sample)")
      }
    }
  }
#endif
