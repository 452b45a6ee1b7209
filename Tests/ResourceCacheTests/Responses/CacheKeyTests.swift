import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import Testing

@Suite struct CacheKeyTests {
  @Test(arguments: [
    ("http://[::1]:8080/x?y", "http://[::1]:8080/x?y"), ("http://[FE80::A]", "http://[FE80::A]/"),
    ("http://[fe80::1%25Lo]/", "http://[fe80::1%25Lo]/"),
    ("https://u:p@Example.ORG#part", "https://example.org/"),
    ("HTTPS://example.org:443/A", "https://example.org:443/A"),
    ("https://b\u{FC}cher.de", "https://xn--bcher-kva.de/"),
    ("https://a_b.example/%2F", "https://a_b.example/%2F"),
  ])
  func `a URL has one form for every kind of host`(_ url: String, _ form: String) throws {
    #expect(CacheKey(url: try #require(URL(string: url)), partition: .anonymous).url == form)
  }

  @Test func `a response from a server without a host name is cached`() async throws {
    let transport = StubTransport()
    transport.stub(
      "/a", .response(headers: ["Cache-Control": "max-age=60"], body: Data("one".utf8)))
    let client = Client {
      $0.transport = transport
      $0.middleware = [HTTPCache(.memory())]
    }

    for _ in 0..<2 {
      #expect(try await client.load(.text(.get("http://[::1]:8080/a"))) == "one")
    }

    #expect(transport.requests.count == 1)
  }
}
