import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// The behaviour of every storage.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct ResponseStorageTests {
  typealias Exchange = CacheExchange

  private func key(_ path: String, _ partition: String = "") -> CacheKey {
    CacheKey(url: "https://example.org/\(path)", partition: CachePartition(name: partition))
  }

  private func stored(_ body: String, language: String? = nil) -> StoredResponse {
    Exchange.stored(
      [.vary: "Accept-Language", "X-ÄÖ": "emoji 🦊", .eTag: "\"1\""], body: Data(body.utf8),
      selecting: language.map { [.acceptLanguage: $0] } ?? [:])
  }

  @Test(arguments: Storage.allCases)
  func `a stored response is read unchanged, byte for byte`(_ storage: Storage) async throws {
    let storage = try storage.make()
    let response = Exchange.stored(
      [.link: "<a>", .link: "<b>", "X-ÄÖ": "emoji 🦊"], body: Data("\0b\u{FF}".utf8),
      selecting: [.acceptLanguage: "de"],
      asked: Date(timeIntervalSinceReferenceDate: 712_345_678.123_456_7), wasRedirected: true)

    try await storage.store(response, for: key("a"))

    #expect(try await storage.responses(for: key("a")) == [response])
    #expect(try await storage.responses(for: key("b")) == [])
    #expect(try await storage.responses(for: key("a", "x")) == [])
  }

  @Test(arguments: Storage.allCases)
  func `storing a variant replaces only its predecessor`(_ storage: Storage) async throws {
    let storage = try storage.make()

    for body in ["1", "2"] {
      for language in ["de", "en", nil] {
        try await storage.store(
          stored(body + (language ?? ""), language: language), for: key("a"))
      }
    }

    let bodies = try await storage.responses(for: key("a")).map {
      String(decoding: $0.response.body, as: UTF8.self)
    }
    #expect(Set(bodies) == ["2de", "2en", "2"] && bodies.count == 3)
  }

  @Test(arguments: Storage.allCases)
  func `an older response that arrived later doesn't replace a newer one`(
    _ storage: Storage
  ) async throws {
    let storage = try storage.make()
    let newer = Exchange.stored([.eTag: "\"2\""], asked: 10, arrived: 11)
    let older = Exchange.stored([.eTag: "\"1\""], asked: 7, arrived: 12)
    let newest = Exchange.stored([.eTag: "\"3\""], asked: 9, arrived: 13)
    let dated = { Exchange.stored([.date: Exchange.httpDate($0)], asked: 12, arrived: 14) }

    for response in [newer, older] { try await storage.store(response, for: key("a")) }
    #expect(try await storage.responses(for: key("a")) == [newer])
    for response in [dated(5), dated(4), newest] {
      try await storage.store(response, for: key("a"))
    }

    #expect(try await storage.responses(for: key("a")) == [dated(5)])
  }

  @Test(arguments: [Storage.sqlite])
  func `a file keeps the most recently stored of many variants`(
    _ storage: Storage
  ) async throws {
    let storage = try storage.make()

    for number in 0..<40 {
      try await storage.store(stored("\(number)", language: "l\(number)"), for: key("a"))
      try await storage.store(stored("other", language: nil), for: key("a", "x"))
    }

    let bodies = try await storage.responses(for: key("a")).map {
      String(decoding: $0.response.body, as: UTF8.self)
    }
    #expect(Set(bodies) == Set((8..<40).map(String.init)) && bodies.count == 32)
    #expect(try await storage.responses(for: key("a", "x")).count == 1)
  }

  @Test(arguments: Storage.allCases)
  func `a scope removes what it covers`(_ storage: Storage) async throws {
    let keys = [key("a"), key("a", "x"), key("b"), key("b", "x"), key("b", "y")]
    let scopes: [CacheScope] = [
      .entry(key("a", "x")), .url(key("a").url), .partition(CachePartition(name: "x")),
      .credentials,
      .everything,
    ]
    for scope in scopes {
      let storage = try storage.make()
      for key in keys { try await storage.store(stored("1"), for: key) }

      try await storage.remove(scope)

      for key in keys {
        let isGone = try await storage.responses(for: key).isEmpty
        #expect(isGone == scope.covers(key))
      }
    }
  }

  @Test(arguments: [Storage.memory, .sqlite])
  func `the least recently used responses are evicted first, and the size stays below the limit`(
    _ kind: Storage
  ) async throws {
    let database = try Database()
    let storage: any ResponseStorage =
      kind == .memory
      ? MemoryResponseStorage(maximumSize: 100_000)
      : SQLiteResponseStorage(file: database.file, maximumSize: 100_000)
    let body = String(repeating: "x", count: 5000)

    for number in 0..<100 {
      try await storage.store(stored(body), for: key("\(number)"))
      // One of them is used all the time.
      #expect(try await storage.responses(for: key("0")).count == 1)
    }

    var kept: [Int] = []
    for number in 0..<100 where try await !storage.responses(for: key("\(number)")).isEmpty {
      kept.append(number)
    }
    #expect(kept.first == 0 && kept.contains(99))
    #expect(kept.count >= 15 && kept.count <= 19)
    #expect(kept.dropFirst().allSatisfy { $0 >= 80 })
  }

  @Test func `a response that is used in memory isn't evicted from the file`()
    async throws
  {
    let database = try Database()
    let tiered = TieredResponseStorage(
      MemoryResponseStorage(),
      before: SQLiteResponseStorage(file: database.file, maximumSize: 100_000))
    let body = String(repeating: "x", count: 5000)

    for number in 0..<100 {
      try await tiered.store(stored(body), for: key("\(number)"))
      #expect(try await tiered.responses(for: key("0")).count == 1)
    }

    let behind = SQLiteResponseStorage(file: database.file)
    #expect(try await behind.responses(for: key("0")).count == 1)
    #expect(try await behind.responses(for: key("1")).isEmpty)
  }

  @Test(arguments: [Storage.memory, .sqlite])
  func `a response that is larger than the storage isn't stored, and removes its predecessor`(
    _ kind: Storage
  ) async throws {
    let database = try Database()
    let storage: any ResponseStorage =
      kind == .memory
      ? MemoryResponseStorage(maximumSize: 2000)
      : SQLiteResponseStorage(file: database.file, maximumSize: 2000)
    try await storage.store(stored("small"), for: key("a"))

    try await storage.store(stored(String(repeating: "x", count: 2000)), for: key("a"))

    #expect(try await storage.responses(for: key("a")).isEmpty)
  }

  @Test(arguments: [Storage.memory, .sqlite])
  func `a response that nearly fills the storage is kept, and the others make room for it`(
    _ kind: Storage
  ) async throws {
    let database = try Database()
    let storage: any ResponseStorage =
      kind == .memory
      ? MemoryResponseStorage(maximumSize: 10_000)
      : SQLiteResponseStorage(file: database.file, maximumSize: 10_000)
    for name in ["a", "b"] {
      try await storage.store(stored(String(repeating: "x", count: 3000)), for: key(name))
    }

    try await storage.store(stored(String(repeating: "x", count: 9200)), for: key("c"))

    #expect(try await storage.responses(for: key("a")).isEmpty)
    #expect(try await storage.responses(for: key("b")).isEmpty)
    #expect(try await storage.responses(for: key("c")).count == 1)
  }

  @Test(arguments: Storage.allCases)
  func `many concurrent tasks find a stored response or none`(_ kind: Storage) async throws {
    let database = try Database()
    let storage: any ResponseStorage =
      switch kind {
      case .memory: MemoryResponseStorage(maximumSize: 60_000)
      case .sqlite: SQLiteResponseStorage(file: database.file, maximumSize: 60_000)
      case .tiered:
        TieredResponseStorage(
          MemoryResponseStorage(maximumSize: 20_000),
          before: SQLiteResponseStorage(file: database.file, maximumSize: 60_000))
      }

    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for step in 0..<60 {
            let number = (worker * 31 + step * 7) % 40
            let key = key("\(number)", step.isMultiple(of: 3) ? "x" : "")
            let body = "\(number)" + String(repeating: "x", count: 3000)
            if step % 17 == 16 { try await storage.remove(.partition(key.partition)) }
            let found = try await storage.responses(for: key)
            #expect(found.allSatisfy { $0.response.body == Data(body.utf8) } && found.count < 2)
            try await storage.store(stored(body), for: key)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a variant that is too large for the memory is found in the file`()
    async throws
  {
    let tiers = TieredResponseStorage(
      MemoryResponseStorage(maximumSize: 3000), before: MemoryResponseStorage())
    try await tiers.store(stored("small", language: "de"), for: key("a"))
    try await tiers.store(
      stored(String(repeating: "x", count: 4000), language: "en"), for: key("a"))

    for _ in 0..<3 { #expect(try await tiers.responses(for: key("a")).count == 2) }
  }

  @Test func `a response that was replaced in the back storage isn't copied forward`() async throws
  {
    let (front, back) = (MemoryResponseStorage(), MemoryResponseStorage())
    let tiers = TieredResponseStorage(front, before: back)
    try await tiers.store(stored("1"), for: key("a"))
    front.remove(.everything)

    #expect(try await tiers.responses(for: key("a")).count == 1)
    #expect(front.responses(for: key("a")).count == 1)
    try await tiers.remove(.url(key("a").url))
    #expect(front.responses(for: key("a")).isEmpty && back.responses(for: key("a")).isEmpty)
  }

  @Test(arguments: Storage.allCases)
  func `a fresh response is used without the network, and has its age`(
    _ storage: Storage
  ) async throws {
    let service = CachedService(try storage.make())
    service.transport.stub("GET /a", CachedService.fresh("one"), CachedService.fresh("two"))

    let first = try await service.load("/a")
    service.clock.advance(by: .seconds(59))
    let second = try await service.load("/a")
    service.clock.advance(by: .seconds(1))
    let third = try await service.load("/a")

    #expect(first == Loaded(text: "one", source: "from the server"))
    #expect(second == Loaded(text: "one", source: "from the cache, 59.00 s old"))
    #expect(third == Loaded(text: "two", source: "from the server"))
    #expect(service.events == ["from the cache, 59.00 s old"])
    #expect(service.failures == [])
  }

  @Test(arguments: Storage.allCases)
  func `a stale response is revalidated by both validators, and a 304 makes it fresh`(
    _ storage: Storage
  ) async throws {
    let service = CachedService(try storage.make())
    let date = HTTPDate(Date(timeIntervalSinceNow: -5000)).description
    service.transport.stub(
      "GET /a",
      CachedService.fresh(
        "one", [.cacheControl: "max-age=10", .eTag: "\"1\"", .lastModified: date, "X": "old"]),
      CachedService.fresh(
        "", [.cacheControl: "max-age=20", .eTag: "\"1\"", "X": "new"], status: 304))
    _ = try await service.load("/a")

    service.clock.advance(by: .seconds(11))
    let revalidated = try await service.load("/a")
    service.clock.advance(by: .seconds(19))
    let stored = try await service.load("/a")

    #expect(revalidated == Loaded(text: "one", source: "from the cache, still good"))
    #expect(stored == Loaded(text: "one", source: "from the cache, 19.00 s old"))
    let asked = try #require(service.transport.requests.last)
    #expect(asked.headers[.ifNoneMatch] == "\"1\"" && asked.headers[.ifModifiedSince] == date)
    #expect(service.transport.requests.count == 2)
    let header = try await service.client.load(Resource(.get("/a")) { $0.headers["X"] })
    #expect(header == "new")
  }
}
