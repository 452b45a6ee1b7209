import Foundation
import ResourceLoading
import ResourceStore
import Testing

/// RFC 9111 section 4.4, and whose part of the cache is whose.
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
  ]

  @Test(arguments: table.indices)
  func `4.4: an unsafe request that succeeds makes what it may have changed useless`(index: Int) {
    let row = Self.table[index]
    let request = Exchange.request([:], Request.Method(rawValue: row.method))

    let urls = Invalidation.urls(after: Exchange.response(row.headers, row.status), to: request)

    #expect(urls.map(\.absoluteString) == row.urls)
  }

  @Test func `each credential has a part of its own`() {
    let headers: [Headers] = [
      [:], [.authorization: "Bearer a"], [.authorization: "Bearer b"], [.authorization: ""],
      [.cookie: "Bearer a"], [.authorization: "Bearer a", .cookie: "c"],
      [.authorization: "Bearer ", .cookie: "ac"],
    ]

    let partitions = headers.map { CachePartition($0) }

    #expect(Set(partitions).count == headers.count)
    #expect(partitions[0] == .anonymous)
    #expect(CachePartition(["AUTHORIZATION": "Bearer a"]) == partitions[1])
    #expect(partitions.allSatisfy { !$0.name.contains("Bearer") })
  }

  @Test func `a name of a partition is a SHA-256`() {
    // "8:Bearer a-1:" by another implementation.
    #expect(
      CachePartition([.authorization: "Bearer a"]).name
        == "0d358afa4e611ff61a8e8470a0f64a3377487d327c9a03d17fb900c7351e7f79")
    let long = String(repeating: "x", count: 200)
    #expect(
      CachePartition([.authorization: long]).name
        == "dfc02074f3872f93ebc4c0a602043bdbb1a5c55ce57dc527b0f83ff64460febc")
  }

  @Test func `a key leaves out the fragment and the case of the host`() throws {
    let one = try #require(URL(string: "HTTPS://Example.ORG/a%20B?c=D#e"))
    let other = try #require(URL(string: "https://example.org/a%20B?c=D"))

    let keys = [one, other].map { CacheKey(url: $0, partition: .anonymous) }

    #expect(keys[0] == keys[1])
    #expect(keys[0].url == "https://example.org/a%20B?c=D")
    #expect(CacheKey(Request(url: other)) == keys[1])
  }
}
