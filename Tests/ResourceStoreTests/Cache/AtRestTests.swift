import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// What a cache's file contains, and what it doesn't.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct AtRestTests {
  typealias Service = CachedService

  /// All bytes of a database and of the files beside it.
  private func bytes(of database: Database) throws -> [(name: String, bytes: Data)] {
    let folder = database.file.deletingLastPathComponent()
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).map {
      ($0, try Data(contentsOf: folder.appending(path: $0)))
    }
  }

  @Test(arguments: [true, false])
  func `the file contains no credentials of the request or the response`(
    hasOwner: Bool
  ) async throws {
    let database = try Database()
    let storage = SQLiteResponseStorage(file: database.file)
    let transport = StubTransport()
    transport.stub(
      "*",
      Service.fresh(
        "body",
        [
          .cacheControl: "max-age=60", .setCookie: "sid=secret-five", "Set-Cookie2": "secret-six",
          "Authentication-Info": "nextnonce=secret-seven",
          .vary: "Authorization, Cookie, X-Functions-Key, Accept",
        ]))
    let cache = hasOwner ? HTTPCache(storage) { _ in "me" } : HTTPCache(storage)
    let client = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
      $0.middleware = [cache]
    }
    let url = try #require(URL(string: "https://api.example.org/a?access_token=secret-one"))
    let request = Request(
      url: url,
      headers: [
        .authorization: "Bearer secret-two", .cookie: "sid=secret-three", .accept: "text/plain",
        "X-Functions-Key": "secret-four",
      ])

    for _ in 0..<2 { _ = try await client.load(.text(request)) }
    let other = request.header("X-Functions-Key", "other")
    _ = try await client.load(.text(other))

    #expect(transport.requests.count == 2)
    let files = try bytes(of: database)
    #expect(files.contains { $0.bytes.range(of: Data("text/plain".utf8)) != nil })
    for (name, bytes) in files {
      #expect(bytes.range(of: Data("secret-".utf8)) == nil, "\(name)")
    }
    await storage.close()
  }

  @Test func `a response after a redirect to a URL with a secret isn't stored in a file`()
    async throws
  {
    let database = try Database()
    let service = Service(SQLiteResponseStorage(file: database.file))
    service.transport.stub(
      "GET /a", .response(status: 302, headers: [.location: "/b?X-Amz-Signature=secret-one"]))
    service.transport.stub(
      "GET /b", Service.fresh("b", [.eTag: "\"1\"", .cacheControl: "max-age=60"]))

    for _ in 0..<2 { #expect(try await service.load("/a").text == "b") }

    for (name, bytes) in try bytes(of: database) {
      #expect(bytes.range(of: Data("secret-".utf8)) == nil, "\(name)")
    }
  }

  @Test(
    arguments: [
      ("X-Auth-Token", "secret-one"), ("Content-Location", "/a?token=secret-two"),
      ("Link", "<https://example.org/b?sig=secret-three>; rel=next"),
      ("Content-Location", "/a?next=https%3A%2F%2Fb%2F%3Faccess_token%3Dsecret-four"),
    ] as [(Headers.Name, String)])
  func `a response with a credential in its headers isn't stored in a file`(
    _ name: Headers.Name, _ value: String
  ) async throws {
    let database = try Database()
    let service = Service(SQLiteResponseStorage(file: database.file))
    service.transport.stub(
      "GET /a", Service.fresh("a", [.cacheControl: "max-age=60", name: value]))
    service.transport.stub(
      "GET /b", Service.fresh("b", [.cacheControl: "max-age=60", "X-Promo-Code": "public-one"]))

    for path in ["/a", "/b"] as [RequestPath] { _ = try await service.load(path) }

    let files = try bytes(of: database)
    #expect(files.contains { $0.bytes.range(of: Data("public-one".utf8)) != nil })
    for (name, bytes) in files {
      #expect(bytes.range(of: Data("secret-".utf8)) == nil, "\(name)")
    }
  }

  @Test func `only the user can read the cache's file and those beside it`() async throws {
    let database = try Database()
    let service = Service(SQLiteResponseStorage(file: database.file))
    service.transport.stub("*", Service.fresh("one"))
    _ = try await service.load("/a")

    let folder = database.file.deletingLastPathComponent()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.count >= 2)
    for name in names {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.appending(path: name).path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
    }
  }

  @Test(arguments: 0..<6)
  func `a response with changed bytes is never used, and is loaded again`(
    seed: Int
  ) async throws {
    let database = try Database()
    let first = SQLiteResponseStorage(file: database.file)
    let service = Service(first)
    let headers: Headers = [.cacheControl: "max-age=86400", "X-Head": "0123456789abcdef"]
    service.transport.stub("*") { request in
      Service.fresh(String(repeating: request.url.path(), count: 700), headers)
    }
    func load(_ service: Service) async throws -> Int {
      var hits = 0
      for number in 0..<40 {
        let path = RequestPath("/\(number)")
        let response = try await service.client.load(Resource(.get(path)) { $0 })
        #expect(response.body == Data(String(repeating: "/\(number)", count: 700).utf8))
        #expect(response.status == .ok && response.headers["X-Head"] == "0123456789abcdef")
        if "\(response.source)".hasPrefix("from the cache") { hits += 1 }
      }
      return hits
    }
    _ = try await load(service)
    await first.close()
    var bytes = try Data(contentsOf: database.file)
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<60 {
      // Not the first page, which has the schema, because SQLite detects damage there.
      let place = Int.random(in: 4096..<bytes.count, using: &random)
      bytes[place] ^= UInt8.random(in: 1...255, using: &random)
    }
    try bytes.write(to: database.file)

    let again = Service(SQLiteResponseStorage(file: database.file))
    again.transport.stub("*") { request in
      Service.fresh(String(repeating: request.url.path(), count: 700), headers)
    }
    var hits = try await load(again)

    #expect(hits < 40)
    // Damage is found when its page is read, and may cost the whole file each time.
    for _ in 0..<20 where hits < 40 { hits = try await load(again) }
    #expect(hits == 40)
  }
}
