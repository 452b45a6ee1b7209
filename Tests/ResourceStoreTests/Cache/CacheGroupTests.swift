import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// RFC 9875: groups of stored responses that an origin invalidates together.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CacheGroupTests {
  typealias Service = CachedService
  typealias Exchange = CacheExchange

  private static let url = CacheExchange.url

  private func key(_ path: String, _ partition: String = "") -> CacheKey {
    CacheKey(url: "https://example.org/\(path)", partition: CachePartition(name: partition))
  }

  private func stored(_ groups: String?, selecting: Headers = [:]) -> StoredResponse {
    Exchange.stored(
      groups.map { ["Cache-Groups": $0] } ?? [:], body: Data("body".utf8), selecting: selecting)
  }

  private func group(_ name: String) -> CacheGroup { CacheGroup(name, of: Self.url) }

  static let lists: [(field: String, names: Set<String>)] = [
    (#""a""#, ["a"]), (#""a", "b";q=1 , "a""#, ["a", "b"]), (#""A""#, ["A"]), (#""""#, [""]),
    (#""a\"b\\c""#, [#"a"b\c"#]), ("a", []), (#""a", b"#, []), (#"("a")"#, []), (#""a"#, []),
    ("", []),
  ]

  @Test(arguments: lists.indices)
  func `2: groups are a list of strings, and anything else is ignored`(index: Int) {
    let row = Self.lists[index]

    #expect(stored(row.field).groups == Set(row.names.map(group)))
  }

  @Test func `2: there may be hundreds of groups with long names`() {
    let names = (0..<200).map { "\($0)" + String(repeating: "x", count: 200) }

    let groups = stored(names.map { "\"\($0)\"" }.joined(separator: ", ")).groups

    #expect(groups == Set(names.map(group)))
  }

  @Test func `2.1: a group belongs to an origin`() throws {
    let urls = ["https://example.org/b", "HTTPS://EXAMPLE.org:443", "http://example.org/a"]
      .compactMap { URL(string: $0) }

    #expect(urls.map { CacheGroup("a", of: $0) == group("a") } == [true, true, false])
  }

  @Test(arguments: Storage.allCases)
  func `removing groups removes their responses and no others`(_ storage: Storage) async throws {
    let storage = try storage.make()
    let kept: [(CacheKey, StoredResponse)] = [
      (key("a"), stored("\"other\"", selecting: [.accept: "a"])), (key("c"), stored(nil)),
      (key("d"), stored("\"A\"")),
    ]
    let removed: [(CacheKey, StoredResponse)] = [
      (key("a"), stored("\"b\"")), (key("a", "x"), stored("\"other\", \"a\"")),
      (key("b", "y"), stored("\"a\", \"b\"")),
    ]
    for (key, response) in kept + removed { try await storage.store(response, for: key) }
    #expect(try await storage.responses(for: key("a")).count == 2)

    try await storage.remove(.groups([group("a"), group("b"), group("unknown")]))

    for (key, response) in kept {
      #expect(try await storage.responses(for: key) == [response])
    }
    for (key, response) in removed {
      #expect(try await !storage.responses(for: key).contains(response))
    }
  }

  @Test(arguments: Storage.allCases)
  func `a response that was requested before the removal of its group isn't stored after it`(
    _ storage: Storage
  ) async throws {
    let storage = try storage.make()
    let early = try await storage.mark()
    try await storage.remove(.groups([group("a"), group("b")]))
    let late = try await storage.mark()

    try await storage.store(stored("\"c\", \"a\""), for: key("a"), since: early)
    try await storage.store(stored("\"c\""), for: key("b"), since: early)
    try await storage.store(stored("\"a\""), for: key("c"), since: late)

    #expect(try await storage.responses(for: key("a")).isEmpty)
    for path in ["b", "c"] { #expect(try await storage.responses(for: key(path)).count == 1) }
  }

  @Test(arguments: Storage.allCases)
  func `a response that is replaced leaves its groups`(_ storage: Storage) async throws {
    let storage = try storage.make()
    for groups in ["\"a\"", "\"b\""] { try await storage.store(stored(groups), for: key("a")) }

    try await storage.remove(.groups([group("a")]))
    #expect(try await storage.responses(for: key("a")).count == 1)
    try await storage.remove(.groups([group("b")]))

    #expect(try await storage.responses(for: key("a")).isEmpty)
  }

  /// A service with these groups: `/1` of a, `/2` of a and b, `/3` of b, `/4` of none.
  private func service(
    _ storage: any ResponseStorage, before: [any Middleware] = []
  ) async throws -> Service {
    let service = Service(storage, before: before)
    for (path, groups) in ["1": "\"a\"", "2": "\"a\", \"b\"", "3": "\"b\""] {
      service.transport.stub(
        "GET /\(path)",
        Service.fresh(path, [.cacheControl: "max-age=60", "Cache-Groups": groups]))
    }
    service.transport.stub("GET /4", Service.fresh("4"))
    for path in 1...4 { _ = try await service.load("/\(path)") }
    return service
  }

  private func cached(_ service: Service) async throws -> [Int] {
    var cached: [Int] = []
    for path in 1...4
    where try await service.load(
      Request.get("/\(path)").cachePolicy(.standard)
    ).source.hasPrefix("from the cache") {
      cached.append(path)
    }
    return cached
  }

  @Test(arguments: Storage.allCases)
  func `3: the response to an unsafe request invalidates groups`(_ storage: Storage) async throws {
    let service = try await service(try storage.make())
    service.transport.stub("POST /other", .response(headers: ["Cache-Group-Invalidation": "\"b\""]))

    try await service.client.load(.void(.post("/other")))

    #expect(try await cached(service) == [1, 4])
  }

  @Test(arguments: [
    ("GET", 200, "\"b\""), ("QUERY", 200, "\"b\""), ("POST", 200, "b"), ("POST", 200, "\"B\""),
  ])
  func `3: safe requests and malformed fields invalidate nothing`(
    method: String, status: Int, field: String
  ) async throws {
    let service = try await service(MemoryResponseStorage())
    service.transport.stub(
      "\(method) /other", .response(headers: ["Cache-Group-Invalidation": field]))

    try await service.client.load(.void(Request(.init(rawValue: method), "/other")))

    #expect(try await cached(service) == [1, 2, 3, 4])
  }

  @Test(arguments: [303, 307] as [Status])
  func `3: a redirect that answers an unsafe request invalidates groups`(_ status: Status)
    async throws
  {
    let service = try await service(MemoryResponseStorage())
    let headers: Headers = [.location: "/next", "Cache-Group-Invalidation": "\"b\""]
    service.transport.stub("POST /other", .response(status: status, headers: headers))
    service.transport.stub("/next", .status(404))

    _ = try? await service.client.load(.void(.post("/other")))

    #expect(try await cached(service) == [1, 4])
  }

  @Test func `3: the response to the GET after a redirect invalidates no groups`() async throws {
    let service = try await service(MemoryResponseStorage())
    service.transport.stub("POST /other", .response(status: 303, headers: [.location: "/next"]))
    service.transport.stub("GET /next", .response(headers: ["Cache-Group-Invalidation": "\"b\""]))

    try await service.client.load(.void(.post("/other")))

    #expect(try await cached(service) == [1, 2, 3, 4])
  }

  @Test func `3: a group of another origin isn't invalidated`() async throws {
    let service = try await service(MemoryResponseStorage())
    service.transport.stub("POST *", .response(headers: ["Cache-Group-Invalidation": "\"b\""]))
    let url = try #require(URL(string: "https://other.example/"))

    try await service.client.load(.void(Request(.post, url: url)))

    #expect(try await cached(service) == [1, 2, 3, 4])
  }

  @Test(arguments: Storage.allCases)
  func `2.2.1: an invalidated response takes its groups along, but not their groups`(
    _ storage: Storage
  ) async throws {
    let service = try await service(try storage.make())
    service.transport.stub("PUT /1", .status(204))

    try await service.client.load(.void(.put("/1")))

    // 2 shares a group with 1, and 3 only with 2.
    #expect(try await cached(service) == [3, 4])
  }

  @Test(arguments: Storage.allCases, [true, false])
  func `a load that runs during the invalidation of its group isn't stored or shared after it`(
    _ storage: Storage, isCoalesced: Bool
  ) async throws {
    let gate = Gate()
    let service = Service(
      try storage.make(), before: isCoalesced ? [CoalescingMiddleware()] : [])
    let headers: Headers = [.cacheControl: "max-age=60", "Cache-Groups": "\"a\""]
    service.transport.stub(
      "GET /a", Service.fresh("early", headers).waiting(for: gate), Service.fresh("late", headers))
    service.transport.stub("POST /b", .response(headers: ["Cache-Group-Invalidation": "\"a\""]))
    async let early = service.load("/a")
    try await service.transport.waitForRequests(count: 1)

    try await service.client.load(.void(.post("/b")))
    #expect(try await service.load("/a").text == "late")
    gate.open()

    #expect(try await early.text == "early")
    #expect(try await service.load("/a").text == "late")
    #expect(service.transport.requests.count == 3)
  }

  @Test func `a 304 that takes a response out of a group doesn't keep it in the cache`()
    async throws
  {
    let service = Service()
    func headers(_ groups: String) -> Headers {
      [.cacheControl: "max-age=10", .eTag: "\"1\"", "Cache-Groups": groups]
    }
    service.transport.stub(
      "GET /a", Service.fresh("one", headers("\"a\"")),
      Service.fresh("", headers("\"a\", \"b\""), status: 304),
      Service.fresh("", headers("\"b\""), status: 304), Service.fresh("two"))
    for _ in 0..<3 {
      #expect(try await service.load("/a").text == "one")
      service.clock.advance(by: .seconds(11))
    }

    #expect(try await service.load("/a").text == "two")
    #expect(service.transport.requests.last?.headers[.ifNoneMatch] == nil)
  }

  @Test func `no response is used while the removal of groups fails`() async throws {
    let storage = FaultyStorage()
    let service = try await service(storage)
    service.transport.stub("POST /other", .response(headers: ["Cache-Group-Invalidation": "\"b\""]))
    storage.fail([.removing])

    try await service.client.load(.void(.post("/other")))
    #expect(try await cached(service) == [])
    storage.fail([])
    _ = try await cached(service)

    #expect(try await cached(service) == [1, 2, 3, 4])
  }

  @Test func `a file from before there were groups loses the responses that have some`()
    async throws
  {
    let store = try await SQLiteStore.inMemory()
    let first = SQLiteResponseStorage(in: store)
    try await first.store(stored("\"a\""), for: key("a"))
    try await first.store(stored(nil), for: key("b"))
    for statement in [
      "DROP TRIGGER \"HTTPCache removal 3\"", "DROP TABLE \"HTTPCache groups 3\"",
    ] {
      _ = try await store.write { try $0.execute(statement) }
    }

    let second = SQLiteResponseStorage(in: store)
    #expect(try await second.responses(for: key("a")).isEmpty)
    #expect(try await second.responses(for: key("b")).count == 1)
    try await second.store(stored("\"a\""), for: key("a"))
    try await second.remove(.groups([group("a")]))

    #expect(try await second.responses(for: key("a")).isEmpty)
  }

  @Test func `a file keeps the groups of stored responses only, and none by name`() async throws {
    let store = try await SQLiteStore.inMemory()
    let storage = SQLiteResponseStorage(in: store, maximumSize: 4000)
    func count() async throws -> Int64 {
      try await store.write { try $0.integer("SELECT count(*) FROM \"HTTPCache groups 3\"") }
    }

    for number in 0..<40 {
      try await storage.store(stored("\"planted\", \"b\", \"\(number)\""), for: key("\(number)"))
    }
    let rows = try await store.write {
      try $0.integer("SELECT count(*) FROM \"HTTPCache responses 3\"")
    }
    #expect(try await count() == 3 * rows)
    #expect(rows < 20 && rows > 0)
    let named = try await store.write {
      try $0.integer(
        "SELECT count(*) FROM \"HTTPCache groups 3\" WHERE instr(name, CAST('planted' AS BLOB))")
    }
    #expect(named == 0)
    try await storage.remove(.everything)

    #expect(try await count() == 0)
  }
}
