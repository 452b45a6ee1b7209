import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// Removed responses stay removed, whoever shares the storage and whatever is under way.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SignOutTests {
  typealias Service = CachedService

  enum Removal: CaseIterable, Codable {
    case post, everything, url, credentials, partition

    func carryOut(_ service: CachedService) async throws {
      let headers: Headers = [.authorization: "x"]
      switch self {
      case .post:
        try await service.client.load(.void(Request(.post, "/me", headers: headers)))
      case .everything: try await service.cache.removeAll()
      case .url: try await service.cache.remove(URL(string: "https://api.example.org/me")!)
      case .credentials: try await service.cache.removeCredentials()
      case .partition: try await service.cache.remove(CachePartition(headers: headers))
      }
    }
  }

  /// Two caches, as in two processes: over one file with separate memories, or over one object.
  enum Sharing: CaseIterable {
    case file, fileBehindMemory, memory

    func storages(_ database: Database) -> [any ResponseStorage] {
      switch self {
      case .file: (0..<2).map { _ in SQLiteResponseStorage(file: database.file) }
      case .fileBehindMemory:
        (0..<2).map { _ in
          TieredResponseStorage(
            MemoryResponseStorage(), before: SQLiteResponseStorage(file: database.file))
        }
      case .memory: Array(repeating: MemoryResponseStorage(), count: 2)
      }
    }
  }

  @Test(arguments: Sharing.allCases, Removal.allCases)
  func
    `after a removal by one cache, a running load of another isn't stored in their shared storage`(
      _ sharing: Sharing, _ removal: Removal
    ) async throws
  {
    let database = try Database()
    let gate = Gate()
    let services = sharing.storages(database).map { Service($0) }
    for service in services { service.transport.stub("POST /me", .status(204)) }
    services[0].transport.stub("GET /me", Service.fresh("new"))
    services[1].transport.stub("GET /me", Service.fresh("old").waiting(for: gate))
    async let early = services[1].load("/me", [.authorization: "x"])
    try await services[1].transport.waitForRequests(count: 1)

    try await removal.carryOut(services[0])
    gate.open()

    #expect(try await early.text == "old")
    #expect(try await services[0].load("/me", [.authorization: "x"]).text == "new")
    #expect(services.allSatisfy { $0.failures.isEmpty })
  }

  @Test func `after a removal by another process, a running load isn't stored in the file`()
    async throws
  {
    let database = try Database()
    let (service, gate) = (Service(SQLiteResponseStorage(file: database.file)), Gate())
    service.transport.stub(
      "GET /me", Service.fresh("old").waiting(for: gate), Service.fresh("new"))
    async let early = service.load("/me", [.authorization: "x"])
    try await service.transport.waitForRequests(count: 1)
    let path = database.file.path

    await #expect(processExitsWith: .success) { [path = path as String] in
      Watchdog.endsProcess()
      let cache = HTTPCache(SQLiteResponseStorage(file: URL(filePath: path)))
      try await cache.removeCredentials()
    }
    gate.open()

    #expect(try await early.text == "old")
    #expect(try await service.load("/me", [.authorization: "x"]).text == "new")
  }

  @Test func `unrelated removals don't prevent storing`() async throws {
    let database = try Database()
    let gate = Gate()
    let services = Sharing.file.storages(database).map { Service($0) }
    services[0].transport.stub("*", .status(204))
    services[1].transport.stub("GET /me", Service.fresh("kept").waiting(for: gate))
    async let early = services[1].load("/me", [.authorization: "x"])
    try await services[1].transport.waitForRequests(count: 1)

    try await services[0].client.load(.void(Request(.post, "/other")))
    try await services[0].cache.remove(CachePartition(headers: [.authorization: "y"]))
    gate.open()

    #expect(try await early.text == "kept")
    #expect(
      try await services[1].load("/me", [.authorization: "x"]).source.hasPrefix("from the cache"))
  }

  @Test func `a background revalidation isn't stored after signing out`() async throws {
    let (service, gate) = (Service(), Gate())
    let swr: Headers = [.cacheControl: "max-age=1, stale-while-revalidate=100", .eTag: "\"1\""]
    service.transport.stub(
      "GET /me", Service.fresh("old", swr),
      Service.fresh("secret", [.cacheControl: "max-age=1000"]).waiting(for: gate),
      Service.fresh("new"))
    _ = try await service.load("/me", [.authorization: "x"])
    service.clock.advance(by: .seconds(2))

    let stale = try await service.load("/me", [.authorization: "x"])
    try await service.transport.waitForRequests(count: 2)
    try await service.cache.removeCredentials()
    gate.open()

    #expect(stale.text == "old")
    #expect(try await service.load("/me", [.authorization: "x"]).text == "new")
  }

  @Test
  func `a revalidation after signing out doesn't store the response again`()
    async throws
  {
    // The storage stops after it has read, and signing out comes between.
    let storage = GatedStorage()
    let service = Service(storage)
    service.transport.stub(
      "GET /me", Service.fresh("old", [.eTag: "\"1\""]),
      Service.fresh("", [.eTag: "\"1\"", .cacheControl: "max-age=60"], status: 304),
      Service.fresh("new"))
    _ = try await service.load("/me", [.authorization: "x"])
    let gate = storage.stopNextReading()
    async let second = service.load("/me", [.authorization: "x"])
    try await gate.waitForArrivals(count: 1)

    try await service.cache.removeCredentials()
    gate.open()

    #expect(try await second.text == "old")
    #expect(try await service.load("/me", [.authorization: "x"]).text == "new")
  }

  @Test(arguments: [true, false])
  func `a user who signs in doesn't share the running load of another`(
    isCached: Bool
  ) async throws {
    let (authentication, gate) = (BearerAuthentication(token: "a"), Gate())
    let transport = StubTransport()
    transport.stub("GET /me") { request in
      let answer = Service.fresh(request.headers[.authorization] ?? "nobody")
      return request.headers[.authorization] == "Bearer a" ? answer.waiting(for: gate) : answer
    }
    let client = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
      $0.middleware =
        [CoalescingMiddleware()] + (isCached ? [HTTPCache(.memory())] : []) + [authentication]
    }
    async let first = client.load(.text(.get("/me")))
    try await transport.waitForRequests(count: 1)

    authentication.signIn("b")
    async let second = client.load(.text(.get("/me")))
    try await transport.waitForRequests(count: 2)
    gate.open()

    #expect(try await first == "Bearer a")
    #expect(try await second == "Bearer b")
  }
}
