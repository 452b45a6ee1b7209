import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import TestSupport
import Testing

@testable import ResourceInspector

@Suite(.inTurn, .timeLimit(.minutes(15))) struct CacheTableTests {
  typealias Exchange = CacheExchange

  private func store(
    _ response: StoredResponse, in storage: some ResponseStorage, url: URL = Exchange.url,
    headers: Headers = [:]
  ) async throws {
    let key = CacheKey(url: url, partition: CachePartition(headers: headers))
    try await storage.store(response, for: key, since: storage.mark())
  }

  /// The headers of a response that arrived at second 0, the second, and what is shown.
  static let rules: [(headers: Headers, now: Int, state: String, why: String, until: Int)] = [
    ([.cacheControl: "max-age=60"], 59, "fresh", "max-age=60", 60),
    ([.cacheControl: "max-age=60", .age: "20"], 30, "fresh", "max-age=60", 40),
    ([.cacheControl: "max-age=60"], 60, "stale, must be revalidated", "max-age=60", 60),
    (
      [.cacheControl: "max-age=60, must-revalidate"], 61, "stale, must be revalidated",
      "max-age=60, must-revalidate", 60
    ),
    (
      [.cacheControl: "max-age=60, stale-while-revalidate=30"], 90,
      "stale, used while it is revalidated", "max-age=60, stale-while-revalidate=30", 60
    ),
    (
      [.cacheControl: "max-age=60, stale-if-error=5"], 0, "fresh", "max-age=60, stale-if-error=5",
      60
    ),
    ([.cacheControl: "max-age=60, no-cache"], 1, "must be revalidated", "no-cache", 60),
    ([.expires: Exchange.httpDate(40), .date: Exchange.httpDate(0)], 1, "fresh", "Expires", 40),
    ([.expires: "0"], 0, "stale, must be revalidated", "Expires", 0),
    (
      [.lastModified: Exchange.httpDate(-1000)], 99, "fresh",
      "a tenth of the time since Last-Modified", 100
    ),
    ([:], 0, "stale, must be revalidated", "no lifetime given", 0),
  ]

  @Test(arguments: rules)
  func `a response is shown with its freshness and the rule that decides`(
    _ rule: (headers: Headers, now: Int, state: String, why: String, until: Int)
  ) async throws {
    let storage = MemoryResponseStorage()
    let response = Exchange.stored(rule.headers)
    try await store(response, in: storage)

    let content = try await HTTPCache(storage).inspect(.at(Exchange.date(rule.now)))

    #expect(content.column("URL") == ["https://example.org/a"])
    #expect(content.column("State") == [rule.state])
    #expect(content.column("Why") == [rule.why])
    let until = Int(Exchange.date(rule.until).timeIntervalSince1970)
    #expect(content.column("Fresh until") == ["@\(until)"])
    // The table says what the cache does.
    let decision = CacheDecision(
      Exchange.request(), stored: [response], now: Exchange.date(rule.now))
    #expect(decision.usesStored == !rule.state.contains("must be"))
  }

  @Test func `a response to a redirected request says why it must be revalidated`() async throws {
    let storage = MemoryResponseStorage()
    let redirected = Exchange.stored(
      [.cacheControl: "max-age=60"], body: Data(), wasRedirected: true)
    try await store(redirected, in: storage)

    let content = try await HTTPCache(storage).inspect(.at(Exchange.start))

    #expect(content.column("State") == ["must be revalidated"])
    #expect(content.column("Why") == ["the request was redirected"])
  }

  @Test func `variants have their headers, and credentials are told apart without being shown`()
    async throws
  {
    let storage = MemoryResponseStorage()
    for language in ["de", "fr"] {
      let response = Exchange.stored(
        [.cacheControl: "max-age=60", .vary: "Accept-Language, X-Tenant"],
        to: Exchange.request([.acceptLanguage: language, "X-Tenant": "acme"]))
      try await store(response, in: storage)
    }
    let credential: Headers = [.authorization: "Basic YWRhOmxvdmVsYWNl"]
    try await store(Exchange.stored(), in: storage, headers: credential)
    let cache = HTTPCache(storage)

    let content = try await cache.inspect(.at(Exchange.start, salt: [1]))
    let other = try await cache.inspect(.at(Exchange.start, salt: [2]))

    #expect(
      Set(content.column("Variant")) == [
        "", "Accept-Language: de, X-Tenant: <redacted>",
        "Accept-Language: fr, X-Tenant: <redacted>",
      ])
    let credentials = content.column("Credential")
    #expect(credentials.count == 3 && Set(credentials).count == 2)
    #expect(credentials.contains("none"))
    // Nobody can try passwords on what a saved page shows.
    #expect(Set(other.column("Credential")) != Set(credentials))
    let name = CachePartition(headers: credential).name
    #expect(credentials.allSatisfy { !name.contains($0) })
  }

  @Test func `the latest used responses are shown, and the others are counted`() async throws {
    let storage = MemoryResponseStorage()
    for number in 1...5 {
      let url = try #require(URL(string: "https://example.org/\(number)"))
      try await store(Exchange.stored(), in: storage, url: url)
    }

    let content = try await HTTPCache(storage).inspect(.at(Exchange.start, limit: 2))

    #expect(content.column("URL") == ["https://example.org/5", "https://example.org/4"])
    #expect(content.note == "2 of 5 responses shown, \(storage.size) bytes")
  }

  @Test func `secrets in a URL are replaced, also those with the names of a client`() async throws {
    let storage = MemoryResponseStorage()
    let url = try #require(URL(string: "https://example.org/a?token=abc&ticket=def&page=2"))
    try await store(Exchange.stored(), in: storage, url: url)

    let content = try await HTTPCache(storage).inspect(.at(Exchange.start, secretNames: ["ticket"]))

    #expect(
      content.column("URL")
        == ["https://example.org/a?token=<redacted>&ticket=<redacted>&page=2"])
  }

  @Test func `a cache in a file recognises the URLs of loads`() async throws {
    let store = try await SQLiteStore.inMemory()
    let storage = SQLiteResponseStorage(in: store)
    let other = try #require(URL(string: "https://example.org/other"))
    let headers: Headers = [.cacheControl: "max-age=60"]
    try await self.store(Exchange.stored(headers), in: storage)
    try await self.store(
      Exchange.stored(headers), in: storage, url: other, headers: [.authorization: "Bearer x"])
    let cache = HTTPCache(.memory(), before: storage)

    let content = try await cache.inspect(.at(Exchange.date(30), urls: [Exchange.url]))

    #expect(content.column("URL") == ["only a hash", "https://example.org/a"])
    #expect(content.column("Credential")[1] == "none")
    #expect(content.column("Credential")[0].count == 8)
    #expect(content.column("State") == ["fresh", "fresh"])
    #expect(content.column("Why") == ["max-age=60", "max-age=60"])
    #expect(content.column("Status") == ["200", "200"])
    #expect(content.note.hasPrefix("2 responses, "))
  }

  @Test func `a query says its method, with and without a credential`() async throws {
    let store = try await SQLiteStore.inMemory()
    let storages: [any ResponseStorage] = [
      MemoryResponseStorage(), SQLiteResponseStorage(in: store),
    ]
    for storage in storages {
      for owner in [CachePartition.anonymous, CachePartition(owner: "ada")] {
        let key = CacheKey(url: Exchange.url, partition: owner, content: "a hash")
        try await storage.store(Exchange.stored(), for: key, since: storage.mark())
      }

      let content = try await storage.cache.inspect(.at(Exchange.start, urls: [Exchange.url]))

      #expect(
        content.column("URL") == Array(repeating: "QUERY https://example.org/a", count: 2))
      #expect(content.column("Credential").count { $0 == "none" } == 1)
    }
  }

  @Test func `a removal that failed is counted, because what it covers isn't used`() async throws {
    let storage = FaultyStorage()
    try await store(Exchange.stored([.cacheControl: "max-age=60"]), in: storage)
    let cache = HTTPCache(storage)
    storage.fail([.removing])
    try? await cache.remove(Exchange.url)

    let content = try await cache.inspect(.at(Exchange.start))

    #expect(content.note.hasSuffix("Failed removals, whose responses aren't used: 1"))
  }

  @Test func `a storage that can't list its responses says so`() async throws {
    let content = try await HTTPCache(OpaqueStorage()).inspect(.at(Exchange.start))

    #expect(content.note == "The storage of this cache can't list its responses.")
    #expect(content.rows == [])
  }
}

/// A storage of somebody else.
private struct OpaqueStorage: ResponseStorage {
  func responses(for key: CacheKey) async throws -> [StoredResponse] { [] }
  func mark() async throws -> RemovalMark { RemovalMark(history: 0, number: 0) }
  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) {}
  func remove(_ scope: CacheScope) {}
}

extension ResponseStorage {
  fileprivate var cache: HTTPCache { HTTPCache(self) }
}
