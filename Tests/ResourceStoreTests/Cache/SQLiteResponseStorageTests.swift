import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// Files and disks in unexpected states.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SQLiteResponseStorageTests {
  typealias Service = CachedService

  private func service(_ storage: any ResponseStorage) -> Service {
    let service = Service(storage)
    // For longer than any test takes, because each service's clock begins when it is created.
    service.transport.stub(
      "*", Service.fresh(String(repeating: "x", count: 3000), [.cacheControl: "max-age=86400"]))
    return service
  }

  private func load(_ service: Service, _ count: Int = 40) async throws -> Int {
    var hits = 0
    for number in 0..<count {
      let loaded = try await service.load(RequestPath("/\(number)"))
      #expect(loaded.text.count == 3000)
      if loaded.source.hasPrefix("from the cache") { hits += 1 }
    }
    return hits
  }

  @Test func `responses remain stored when the file is opened again`() async throws {
    let database = try Database()
    let first = SQLiteResponseStorage(file: database.file)
    #expect(try await load(service(first)) == 0)
    await first.close()

    #expect(try await load(service(SQLiteResponseStorage(file: database.file))) == 40)
  }

  @Test func `a damaged response counts as missing, and its row is removed`() async throws {
    let store = try await SQLiteStore.inMemory()
    let storage = SQLiteResponseStorage(in: store)
    let url = try #require(URL(string: "https://api.example.org/1"))
    _ = try await load(service(storage), 2)
    let (rows, key) = (#""HTTPCache responses 3""#, CacheKey(url: url, partition: .anonymous))

    _ = try await store.write { try $0.execute("UPDATE \(rows) SET status = 201") }

    #expect(try await storage.responses(for: key).isEmpty)
    #expect(try await store.write { try $0.integer("SELECT count(*) FROM \(rows)") } == 1)
  }

  @Test(arguments: [
    #"INSERT INTO "HTTPCache removals 3" VALUES (9223372036854775807, 1, x'00', NULL)"#,
    #"UPDATE "HTTPCache responses 3" SET used = 9223372036854775807"#,
    #"UPDATE "HTTPCache responses 3" SET size = 9223372036854775807"#,
    #"UPDATE "HTTPCache state 3" SET size = -9223372036854775808"#,
    #"UPDATE "HTTPCache state 3" SET size = 9223372036854775807"#,
  ])
  func `a damaged number fails no load`(_ statement: String) async throws {
    let store = try await SQLiteStore.inMemory()
    let storage = SQLiteResponseStorage(in: store, maximumSize: 20_000)
    let service = service(storage)
    _ = try await load(service, 3)

    _ = try await store.write { try $0.execute(statement) }

    _ = try await load(service)
    try? await service.cache.removeAll()
    _ = try await load(service, 3)
  }

  @Test func `a response of a damaged size is removed`() async throws {
    let store = try await SQLiteStore.inMemory()
    let storage = SQLiteResponseStorage(in: store)
    _ = try await load(service(storage), 3)
    let rows = #""HTTPCache responses 3""#
    _ = try await store.write { try $0.execute("UPDATE \(rows) SET size = -9223372036854775808") }

    try await storage.remove(.everything)

    #expect(try await store.write { try $0.integer("SELECT count(*) FROM \(rows)") } == 0)
  }

  @Test func `a small response is read without waiting when a connection is open`() async throws {
    let database = try Database()
    let storage = SQLiteResponseStorage(file: database.file)
    let service = Service(storage)
    service.transport.stub("GET /small", Service.fresh("a"))
    service.transport.stub("GET /large", Service.fresh(String(repeating: "x", count: 70_000)))
    func found(_ path: String) throws -> [String]? {
      let url = try #require(URL(string: "https://api.example.org" + path))
      return storage.immediateResponses(for: CacheKey(url: url, partition: .anonymous))?
        .map { String(decoding: $0.response.body.prefix(1), as: UTF8.self) }
    }
    #expect(try found("/small") == nil)

    for path in ["/small", "/large"] as [RequestPath] { _ = try await service.load(path) }

    #expect(try found("/small") == ["a"])
    #expect(try found("/large") == nil)
    #expect(try found("/none") == [])
    #expect(try await service.load("/large").source.hasPrefix("from the cache"))
    await storage.close()
    #expect(try found("/small") == nil)
  }

  @Test(arguments: 0..<8)
  func `a cache's own damaged file is replaced, and no load fails`(seed: Int) async throws {
    let database = try Database()
    let first = SQLiteResponseStorage(file: database.file)
    _ = try await load(service(first))
    await first.close()
    var bytes = try Data(contentsOf: database.file)
    // Whole pages, but not the header of the file, which names its owner.
    for page in 0..<bytes.count / 4096 where (page + seed) % 2 == 0 {
      let start = page == 0 ? 100 : page * 4096
      for place in start..<(page + 1) * 4096 {
        bytes[place] = UInt8(truncatingIfNeeded: place &* 31)
      }
    }
    try bytes.write(to: database.file)

    let service = service(SQLiteResponseStorage(file: database.file))
    for _ in 0..<3 { _ = try await load(service) }

    #expect(service.failures.contains { $0.contains("damaged") })
    #expect(try await load(service) == 40)
  }

  @Test(arguments: [true, false])
  func `another kind of file is left unchanged, and the cache stores nothing`(
    isDatabase: Bool
  ) async throws {
    let database = try Database()
    if isDatabase {
      let store = try await database.open()
      try await store.insert(Item.numbered(2000))
      await store.close()
    }
    let whole = isDatabase ? try Data(contentsOf: database.file) : Data("a letter ".utf8)
    let bytes = isDatabase ? whole.prefix(whole.count / 2) : whole + Data(count: 9000)
    try bytes.write(to: database.file)

    let service = service(SQLiteResponseStorage(file: database.file))

    for _ in 0..<2 { #expect(try await load(service, 3) == 0) }
    #expect(service.failures.count >= 6)
    #expect(try Data(contentsOf: database.file).count == bytes.count)
  }

  @Test func `a missing folder fails no load`() async throws {
    let file = URL(filePath: "/nowhere-\(UUID().uuidString)/cache.sqlite")

    let service = service(SQLiteResponseStorage(file: file))

    for _ in 0..<2 { #expect(try await load(service, 3) == 0) }
    #expect(service.failures.count >= 6)
  }

  @Test func `in a read-only database stored responses are used, and none are stored`()
    async throws
  {
    let database = try Database()
    let writing = try await database.open()
    _ = try await load(service(SQLiteResponseStorage(in: writing)), 3)
    var settings = SQLiteSettings()
    settings.isReadOnly = true
    let reading = try await database.open(settings)
    let service = service(SQLiteResponseStorage(in: reading))

    #expect(try await load(service, 3) == 3)
    #expect(try await load(service, 4) == 3)
    #expect(service.failures.contains { $0.contains("only be read") })
  }

  @Test func `a full disk fails no load and leaves the models unchanged`() async throws {
    let database = try Database()
    var settings = SQLiteSettings()
    settings.maximumSize = 150_000
    let store = try await database.open(settings)
    try await store.insert(Item.numbered(10))
    let service = service(SQLiteResponseStorage(in: store))

    #expect(try await load(service, 100) == 0)

    #expect(service.failures.contains { $0.contains("no room") })
    #expect(try await store.count(Item.self) == 10)
    #expect(try await load(service, 100) > 10)
  }

  @Test func `a full disk fails no load, and earlier responses are complete`()
    async throws
  {
    guard let disk = SmallDisk() else {
      withKnownIssue("no small disk can be made here") { Issue.record("skipped") }
      return
    }
    let file = disk.url.appending(path: "cache.sqlite")
    let storage = SQLiteResponseStorage(file: file)
    let first = service(storage)

    #expect(try await load(first, 200) == 0)
    let kept = try await load(first, 200)

    #expect(first.failures.contains { $0.contains("no room") })
    #expect(kept > 10 && kept < 200)
    await storage.close()
    // Opening it may take room that isn't there. Then it fails without harm.
    let again = service(SQLiteResponseStorage(file: file))
    #expect(try await load(again, 200) == kept || !again.failures.isEmpty)
    #expect((first.failures + again.failures).allSatisfy { !$0.contains("damaged") })
  }

  @Test func `in a file with models, the schema version is that of the program`() async throws {
    let database = try Database()
    var settings = SQLiteSettings()
    settings.schemaVersion = 7
    let store = try await database.open(settings)
    try await store.insert(Item.numbered(3))
    _ = try await load(service(SQLiteResponseStorage(in: store)), 3)
    await store.close()

    let again = try await database.open(settings)

    #expect(try await again.count(Item.self) == 3)
    #expect(try await load(service(SQLiteResponseStorage(in: again)), 3) == 3)
  }

  @Test func `a second process finds the responses of the first, and waits for its writes`()
    async throws
  {
    let database = try Database()
    let first = service(SQLiteResponseStorage(file: database.file))
    _ = try await load(first, 3)
    let path = database.file.path

    await #expect(processExitsWith: .success) { [path = path as String] in
      Watchdog.endsProcess()
      let storage = SQLiteResponseStorage(file: URL(filePath: path))
      let key = CacheKey(url: "https://api.example.org/1", partition: .anonymous)
      guard let found = try await storage.responses(for: key).first else { exit(1) }
      for number in 0..<50 {
        try await storage.store(
          found, for: CacheKey(url: "https://second/\(number)", partition: .anonymous))
      }
      try await storage.remove(.entry(key))
    }

    #expect(try await load(first, 3) == 2)
    #expect(first.failures == [])
  }

  @Test func `every descriptor is closed, and removed responses aren't in the file`() async throws {
    let database = try Database()
    let folder = database.file.deletingLastPathComponent()
    for _ in 0..<20 {
      let storage = SQLiteResponseStorage(file: database.file)
      let service = Service(storage)
      service.transport.stub("*", Service.fresh("a-very-private-body"))
      _ = try await service.load("/a", [.authorization: "x"])
      try await service.cache.removeCredentials()
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        let bytes = try Data(contentsOf: folder.appending(path: name))
        #expect(bytes.range(of: Data("a-very-private-body".utf8)) == nil)
      }
      await storage.close()
      #expect(Descriptors.open(in: folder) == 0)
    }
  }
}
