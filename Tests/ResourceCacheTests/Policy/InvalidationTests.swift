import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import TestSupport
import Testing

/// RFC 9111 section 4.4, and the partitions of the cache.
@Suite(.inTurn)
struct InvalidationTests {
  typealias Exchange = CacheExchange

  static let table: [(method: String, status: Status, headers: Headers, urls: [String])] = [
    ("POST", 200, [:], ["https://example.org/a"]),
    ("PUT", 204, [:], ["https://example.org/a"]),
    ("DELETE", 302, [:], ["https://example.org/a"]),
    ("PURGE", 200, [:], ["https://example.org/a"]),
    ("GET", 200, [.location: "/b"], []),
    ("HEAD", 200, [:], []),
    ("OPTIONS", 200, [:], []),
    ("POST", 404, [:], []),
    ("POST", 500, [:], []),
    (
      "POST", 201, [.location: "/b", .contentLocation: "c?d"],
      ["https://example.org/a", "https://example.org/b", "https://example.org/c?d"]
    ),
    ("POST", 201, [.location: "https://evil.example/b"], ["https://example.org/a"]),
    ("POST", 201, [.location: "http://example.org/b"], ["https://example.org/a"]),
    (
      "POST", 201, [.location: "https://EXAMPLE.org:443/b"],
      ["https://example.org/a", "https://EXAMPLE.org:443/b"]
    ),
    ("POST", 201, [.location: "/a"], ["https://example.org/a"]),
    (
      "POST", 201, [.location: "/b%20c d"],
      ["https://example.org/a", "https://example.org/b%20c%20d"]
    ),
  ]

  @Test(arguments: table.indices)
  func `4.4: a successful unsafe request invalidates stored responses`(index: Int) {
    let row = Self.table[index]
    let request = Exchange.request([:], Request.Method(rawValue: row.method))

    let urls = Invalidation.urls(after: Exchange.response(row.headers, row.status), to: request)

    #expect(urls.map(\.absoluteString) == row.urls)
  }

  @Test func `a write that was redirected invalidates both URLs`() throws {
    let url = try #require(URL(string: "https://example.org/b"))
    let response = Response(url: url, method: .put, headers: [.contentLocation: "b2"])

    let urls = Invalidation.urls(after: response, to: Exchange.request([:], .put))

    #expect(urls.map { $0.path() } == ["/a", "/b", "/b2"])
  }

  @Test func `each credential has its own partition`() {
    let headers: [Headers] = [
      [:], [.authorization: "Bearer a"], [.authorization: "Bearer b"], [.authorization: ""],
      [.cookie: "Bearer a"], [.authorization: "Bearer a", .cookie: "c"],
      [.authorization: "Bearer ", .cookie: "ac"],
    ]

    let partitions = headers.map { CachePartition(headers: $0) }

    #expect(Set(partitions).count == headers.count)
    #expect(partitions[0] == .anonymous)
    #expect(CachePartition(headers: ["AUTHORIZATION": "Bearer a"]) == partitions[1])
    #expect(partitions.allSatisfy { !$0.name.contains("Bearer") })
  }

  @Test func `the name of a partition is a SHA-256 hash`() {
    // "13:authorization8:Bearer a" by another implementation.
    #expect(
      CachePartition(headers: [.authorization: "Bearer a"]).name
        == "255262719fb639e94e4d390790e29d8145abe4961b05004f9aa53b0b064b49d1")
    let long = String(repeating: "x", count: 200)
    #expect(
      CachePartition(headers: [.authorization: long]).name
        == "09e6b6f7ac6057c7999c2afd0162e3981659dcc8754ce1842f651b7f53179a07")
  }

  @Test func `a key ignores the fragment and the case of the host`() throws {
    let one = try #require(URL(string: "HTTPS://Example.ORG/a%20B?c=D#e"))
    let other = try #require(URL(string: "https://example.org/a%20B?c=D"))

    let keys = [one, other].map { CacheKey(url: $0, partition: .anonymous) }

    #expect(keys[0] == keys[1])
    #expect(keys[0].url == "https://example.org/a%20B?c=D")
  }
}
