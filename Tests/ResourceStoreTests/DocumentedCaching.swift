import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// The samples about caching, word for word.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DocumentedCaching {
  @Test func `a client with a cache`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /a", .response(headers: ["Cache-Control": "max-age=60"], body: "a"))
    }
    defer { server.stop() }
    let (url, database) = (server.url(), try Database())
    let (file, authentication) = (database.file, BearerAuthentication(token: "t"))

    let cache = HTTPCache(.memory(), before: .sqlite(file))
    let client = Client(baseURL: url) {
      $0.middleware = [CoalescingMiddleware(), cache, RetryMiddleware(), authentication]
    }

    #expect(try await client.load(.text(.get("/a"))) == "a")
    #expect(try await client.load(.text(.get("/a"))) == "a")
    #expect(server.requests.count == 1)
  }

  @Test func `a client that keeps the hosts that are asked by https`() async throws {
    let server = try LoopbackServer { LoopbackRoute("GET /a", .response(body: "a")) }
    defer { server.stop() }
    let (url, database) = (server.url(), try Database())
    let file = database.file

    let hosts = SQLiteStrictTransportStorage(file: file)
    let strict = StrictTransportSecurity(storage: hosts)
    let client = Client(baseURL: url) { $0.strictTransportSecurity = strict }

    #expect(try await client.load(.text(.get("/a"))) == "a")
    #expect(FileManager.default.fileExists(atPath: file.path(percentEncoded: false)))
  }

  @Test func `a client with a cache in memory`() async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /a", .response(headers: ["Cache-Control": "max-age=60"], body: "a"))
    }
    defer { server.stop() }
    let (url, authentication) = (server.url(), BearerAuthentication(token: "t"))

    let cache = HTTPCache(.memory())
    let client = Client(baseURL: url) {
      $0.middleware = [CoalescingMiddleware(), cache, RetryMiddleware(), authentication]
    }

    #expect(try await client.load(.text(.get("/a"))) == "a")
    #expect(try await client.load(.text(.get("/a"))) == "a")
    #expect(server.requests.count == 1)
  }

  @Test func `values and prefetching`() async throws {
    let service = CachedService()
    service.transport.stub("*", CachedService.fresh("a"))
    let (client, resource) = (service.client, Resource.text(.get("/a")))
    let feeds = [resource, .text(.get("/b"))]
    let shown = Counter()
    func show(_ feed: String) { shown.next() }

    let failures = await client.prefetch(feeds, maximumConcurrency: 4)
    for try await feed in client.values(of: resource) { show(feed) }

    let dated = Resource(.get("/news")) { response in
      (response.body, response.source)
    }
    let news = try await client.load(.text(.get("/news").cachePolicy(.cacheFirst)))

    #expect(try await client.load(dated).0 == Data(news.utf8))
    #expect(failures.isEmpty && shown.value == 1)
    #expect(service.transport.requests.count == 3)
  }

  @Test func `headers that identify nobody`() async throws {
    let cache = HTTPCache(.memory(), sharedHeaders: ["X-Client-Version"])

    let transport = StubTransport()
    transport.stub("*", CachedService.fresh("a"))
    let client = Client(baseURL: "https://api.example.org") {
      $0.transport = transport
      $0.middleware = [cache]
    }
    for version in ["1", "2"] {
      let request = Request(.get, "/a", headers: ["X-Client-Version": version])
      #expect(try await client.load(.text(request)) == "a")
    }
    #expect(transport.requests.count == 1)
  }

  @Test func `owners, and logging out`() async throws {
    struct Account: Sendable { var userID = "1" }
    let account = Account()

    let cache = HTTPCache(.memory()) { _ in account.userID }

    try await cache.removeCredentials()
  }
}
