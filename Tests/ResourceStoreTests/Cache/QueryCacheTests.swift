import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// Responses to `QUERY` (RFC 10008), which are stored by the content of the request.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct QueryCacheTests {
  typealias Service = CachedService

  /// A service that answers a query with its content.
  private func service(
    _ storage: any ResponseStorage = MemoryResponseStorage(), before: [any Middleware] = [],
    _ headers: Headers = [.cacheControl: "max-age=60"]
  ) -> Service {
    let service = Service(storage, before: before)
    service.transport.stub("QUERY /a") { request in
      request.headers[.ifNoneMatch] != nil && request.headers[.ifNoneMatch] == headers[.eTag]
        ? Service.fresh("", headers, status: 304)
        : Service.fresh(
          String(decoding: (try? request.body?.data()) ?? Data(), as: UTF8.self), headers)
    }
    service.transport.stub("GET /a", Service.fresh("got"))
    service.transport.stub("PUT /a", .status(204))
    return service
  }

  private func query(_ body: Request.Body?, _ headers: Headers = [:]) -> Request {
    Request(.query, "/a", headers: headers, body: body)
  }

  @Test(arguments: Storage.allCases)
  func `a query is answered by the response to the same content, and no other`(
    _ storage: Storage
  ) async throws {
    let service = service(try storage.make())
    let queries = [
      query(.text("one")), query(.text("two")), query(.text("one", as: .json)), query(nil),
      query(.data(Data("one".utf8), as: .text), [.contentEncoding: "x"]),
      query(.text("one"), [.contentLanguage: "de"]), Request.get("/a"),
    ]
    for query in queries {
      #expect(try await service.load(query).source == "from the server")
    }

    for query in queries + [query(.data(Data("one".utf8), as: .text))] {
      let (loaded, method) = try await service.client.load(
        Resource(query) { (String(decoding: $0.body, as: UTF8.self), $0.method) })
      let body = try query.body?.data() ?? Data()
      #expect(loaded == (query.method == .get ? "got" : String(decoding: body, as: UTF8.self)))
      #expect(method == query.method)
    }

    #expect(service.transport.requests.count == queries.count)
  }

  @Test(arguments: Storage.allCases)
  func `queries neither share a limit of variants nor remove other responses`(
    _ storage: Storage
  ) async throws {
    let service = service(try storage.make())
    _ = try await service.load("/a")
    for number in 0..<100 { _ = try await service.load(query(.text("\(number)"))) }

    for number in 0..<100 {
      #expect(try await service.load(query(.text("\(number)"))).source.hasPrefix("from the cache"))
    }
    #expect(try await service.load("/a").source.hasPrefix("from the cache"))
  }

  @Test(arguments: Storage.allCases)
  func `an unsafe request removes the responses to queries of its URL`(_ storage: Storage)
    async throws
  {
    let service = service(try storage.make())
    for _ in 0..<2 { _ = try await service.load(query(.text("one"))) }

    try await service.client.load(.void(Request(.put, "/a")))

    #expect(try await service.load(query(.text("one"))).source == "from the server")
  }

  @Test(arguments: Storage.allCases)
  func `a query belongs to the partition of its credential`(_ storage: Storage) async throws {
    let service = service(try storage.make())
    let users: [Headers] = [[:], [.authorization: "x"], [.authorization: "y"]]
    func stored() async throws -> [Bool] {
      var stored: [Bool] = []
      for headers in users {
        let loaded = try await service.load(query(.text("one"), headers))
        stored.append(loaded.source.hasPrefix("from the cache"))
      }
      return stored
    }
    #expect(try await stored() == [false, false, false])

    try await service.cache.remove(CachePartition(headers: users[1]))
    #expect(try await stored() == [true, false, true])
    try await service.cache.removeCredentials()
    #expect(try await stored() == [true, false, false])
    try await service.cache.remove(.anonymous)
    #expect(try await stored() == [false, true, true])
  }

  @Test(arguments: Storage.allCases)
  func `a query that runs during a removal isn't stored after it`(_ storage: Storage) async throws {
    for headers: Headers in [[:], [.authorization: "x"]] {
      let (service, gate) = (Service(try storage.make()), Gate())
      service.transport.stub(
        "QUERY /a", Service.fresh("early").waiting(for: gate), Service.fresh("late"))
      let request = query(.text("one"), headers)
      async let early = service.load(request)
      try await service.transport.waitForRequests(count: 1)

      try await service.cache.remove(CachePartition(headers: headers))
      gate.open()

      #expect(try await early.text == "early")
      #expect(try await service.load(request).text == "late")
    }
  }

  @Test func `a stale response is revalidated with the query, also in the background`()
    async throws
  {
    for control in ["max-age=10", "max-age=10, stale-while-revalidate=60"] {
      let service = service(MemoryResponseStorage(), [.cacheControl: control, .eTag: "\"1\""])
      for text in ["one", "two"] { _ = try await service.load(query(.text(text))) }
      service.clock.advance(by: .seconds(20))

      for text in ["one", "two"] {
        let loaded = try await service.load(query(.text(text)))
        #expect(loaded.text == text && loaded.source.hasPrefix("from the cache"))
      }
      try await service.transport.waitForRequests(count: 4)

      let bodies = try service.transport.requests.suffix(2).map { try $0.body?.data() }
      #expect(Set(bodies) == [Data("one".utf8), Data("two".utf8)])
      service.client.close()
    }
  }

  @Test func `a query with a file or a stream isn't stored`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "Query-\(UUID().uuidString)")
    try Data("one".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let service = service()
    let bytes = AsyncStream<Data> { $0.finish() }

    for body in [Request.Body.file(file, as: .text), .stream(as: .text) { bytes }] {
      for _ in 0..<2 {
        #expect(try await service.load(query(body)).source == "from the server")
      }
    }
  }

  @Test func `ranges of queries are left to the server`() async throws {
    let service = service()
    for _ in 0..<2 {
      let loaded = try await service.load(query(.text("one"), [.range: "bytes=0-1"]))
      #expect(loaded.source == "from the server")
    }
  }

  @Test func `identical queries share a load, and others don't`() async throws {
    let (service, gate) = (Service(before: [CoalescingMiddleware()]), Gate())
    service.transport.stub("QUERY /a") { request in
      Service.fresh(
        String(decoding: (try? request.body?.data()) ?? Data(), as: UTF8.self), [:]
      ).waiting(for: gate)
    }
    let bodies: [Request.Body] = [
      .text("one"), .text("one"), .text("two"), .json(["a": 1]), .json(["a": 1]), .json(["a": 2]),
    ]

    let loads = bodies.map { body in
      Task { try await service.load(query(body)).text }
    }
    try await service.transport.waitForRequests(count: 4)
    gate.open()

    for (load, body) in zip(loads, bodies) {
      #expect(try await load.value == String(decoding: try body.data(), as: UTF8.self))
    }
    #expect(service.transport.requests.count == 4)
  }

  @Test func `the file contains no content of queries`() async throws {
    let database = try Database()
    let storage = SQLiteResponseStorage(file: database.file)
    let service = Service(storage)
    service.transport.stub("QUERY /a", Service.fresh("body"))
    _ = try await service.load(query(.text("planted")))
    #expect(try await service.load(query(.text("planted"))).source.hasPrefix("from the cache"))
    await storage.close()

    let folder = database.file.deletingLastPathComponent()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      #expect(bytes.range(of: Data("planted".utf8)) == nil)
    }
  }
}
