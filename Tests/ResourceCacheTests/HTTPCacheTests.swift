import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct HTTPCacheTests {
  @Test func `a reload revalidates in all caches on the way, except for immutable responses`()
    async throws
  {
    let service = Service()
    let headers: Headers = [.cacheControl: "max-age=60", .eTag: "\"1\""]
    service.transport.stub(
      "GET /a", Service.fresh("one", headers), Service.fresh("", headers, status: 304),
      .error(LoadError(.connection, "no network")))
    service.transport.stub(
      "GET /b", Service.fresh("b", [.cacheControl: "max-age=60, immutable", .eTag: "\"2\""]))
    func reload(_ path: RequestPath) async throws -> Loaded {
      try await service.load(.get(path).cachePolicy(.reload))
    }

    for path in ["/a", "/b"] as [RequestPath] { _ = try await reload(path) }
    let (asked, immutable) = (try await reload("/a"), try await reload("/b"))

    #expect(asked == Loaded(text: "one", source: "from the cache, still good"))
    #expect(immutable.source.hasPrefix("from the cache, 0"))
    let sent = service.transport.requests
    #expect(sent.map { $0.headers[.ifNoneMatch] } == [nil, nil, "\"1\""])
    #expect(sent.allSatisfy { $0.headers[.cacheControl] == "max-age=0" })
    // No stored response replaces one that has to be reloaded.
    await #expect(throws: LoadError.self) { try await reload("/a") }
  }

  typealias Service = CachedService

  @Test func `after a 304 for another response the request is repeated without conditions`()
    async throws
  {
    let service = Service()
    service.transport.stub(
      "GET /a", Service.fresh("one", [.eTag: "\"1\""]),
      Service.fresh("", [.eTag: "\"2\""], status: 304), Service.fresh("two"))

    _ = try await service.load("/a")

    #expect(try await service.load("/a").text == "two")
    #expect(service.transport.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"1\"", nil])
    #expect(try await service.load("/a") == Loaded(text: "two", source: "from the cache, 0 ms old"))
  }

  @Test func `after a 304 with no-store the stored response is used for the last time`()
    async throws
  {
    let service = Service()
    service.transport.stub(
      "GET /a", Service.fresh("one", [.eTag: "\"1\""]),
      Service.fresh("", [.eTag: "\"1\"", .cacheControl: "no-store"], status: 304),
      Service.fresh("two"))
    _ = try await service.load("/a")

    #expect(try await service.load("/a").text == "one")
    #expect(try await service.load("/a").text == "two")
    #expect(service.transport.requests.last?.headers[.ifNoneMatch] == nil)
  }

  @Test func `only-if-cached sends nothing, and fails without a usable response`() async throws {
    let service = Service()
    let asked: Headers = [.cacheControl: "only-if-cached"]
    service.transport.stub("GET /a", Service.fresh("one"))

    for load in [
      { try await service.load("/a", asked) },
      {
        try await service.load(.get("/a").cachePolicy(.cacheOnly))
      },
    ] {
      let error = await #expect(throws: LoadError.self) { _ = try await load() }
      #expect(error?.kind == .notCached)
    }
    #expect(service.transport.requests.isEmpty)
    _ = try await service.load("/a")
    #expect(try await service.load("/a", asked).text == "one")
  }

  @Test func `only-if-cached answers 504 to a load that accepts it, and no retry helps`()
    async throws
  {
    let service = Service(before: [RetryMiddleware()])
    var request = Request.get("/a").header(.cacheControl, "only-if-cached")
    request.options.acceptedStatuses = .any

    let response = try await service.client.load(Resource(request) { $0 })
    let policy = await #expect(throws: LoadError.self) {
      _ = try await service.load(request.cachePolicy(.cacheOnly))
    }

    #expect(response.status == .gatewayTimeout && response.body.isEmpty)
    #expect(policy?.kind == .notCached)
    #expect(service.transport.requests.isEmpty)
  }

  @Test func `cacheOnly fails in a client without a cache`() async throws {
    let client = Client { $0.transport = StubTransport() }

    let error = await #expect(throws: LoadError.self) {
      try await client.load(
        .text(Request(url: URL(string: "https://a.example/")!).cachePolicy(.cacheOnly)))
    }

    #expect(error?.kind == .notCached)
  }

  @Test func `a request's policy overrides HTTP's rules`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("two"))
    _ = try await service.load("/a")
    service.clock.advance(by: .seconds(100))

    let old = try await service.load(.get("/a").cachePolicy(.cacheFirst))
    let only = try await service.load(.get("/a").cachePolicy(.cacheOnly))
    let new = try await service.load(.get("/a").cachePolicy(.networkOnly))

    let stale = "from the cache, 100.00 s old, stale as the request allows"
    #expect(old == Loaded(text: "one", source: stale) && only == old)
    #expect(new == Loaded(text: "two", source: "from the server"))
    #expect(try await service.load("/a").text == "two")
    #expect(service.transport.requests.count == 2)
  }

  @Test(arguments: [.post, .put, .delete, .init(rawValue: "PURGE")] as [Request.Method])
  func `4.4: an unsafe request removes the responses that it invalidates`(
    _ method: Request.Method
  ) async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("two"))
    service.transport.stub("GET /b", Service.fresh("b"))
    service.transport.stub("/a", .response(headers: [.contentLocation: "/b"]))
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("two"))
    _ = try await (service.load("/a"), service.load("/b"))

    try await service.client.load(.void(Request(method, "/a")))
    _ = try await service.load("/b")

    #expect(try await service.load("/a").text == "two")
    #expect(service.transport.requests.map(\.method) == [.get, .get, method, .get, .get])
  }

  @Test(arguments: [200, 404, 500] as [Status], [303, 307] as [Status])
  func `4.4: a redirect is a success of an unsafe request, whatever its target answers`(
    _ status: Status, _ redirect: Status
  ) async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("two"))
    service.transport.stub("POST /a", .response(status: redirect, headers: [.location: "/b"]))
    service.transport.stub("/b", .status(status))
    _ = try await service.load("/a")

    _ = try? await service.client.load(.void(.post("/a")))

    #expect(service.transport.requests.last?.url.path() == "/b")
    #expect(try await service.load("/a").text == "two")
  }

  @Test func `4.4: each URL that has redirected an unsafe request is invalidated`() async throws {
    let service = Service()
    for path in ["/a", "/b", "/c"] {
      service.transport.stub("GET \(path)", Service.fresh("one"), Service.fresh("two"))
    }
    service.transport.stub("PUT /a", .response(status: 308, headers: [.location: "/b"]))
    service.transport.stub("PUT /b", .response(status: 307, headers: [.location: "/c"]))
    service.transport.stub("PUT /c", .status(204))
    for path in ["/a", "/b", "/c"] as [RequestPath] { _ = try await service.load(path) }

    try await service.client.load(.void(.put("/a")))

    for path in ["/a", "/b", "/c"] as [RequestPath] {
      #expect(try await service.load(path).text == "two")
    }
  }

  @Test func `3: a response to conditions of one request isn't stored for others`() async throws {
    let service = Service()
    service.transport.stub("GET /a") { request in
      request.headers[.ifMatch] == nil
        ? Service.fresh("one") : Service.fresh("", [.cacheControl: "max-age=60"], status: 412)
    }
    let asking = Request(.get, "/a", headers: [.ifMatch: "\"2\""])
    _ = try? await service.client.load(.void(asking))

    #expect(try await service.load("/a").text == "one")
  }

  @Test(arguments: [Request.Method.get, .head])
  func `4.3.4: a response is used for no other variant after an update has added Vary`(
    _ method: Request.Method
  ) async throws {
    let (service, count) = (Service(), Counter())
    service.transport.stub("*") { request in
      guard count.next() > 1 else {
        return Service.fresh("eins", [.eTag: "\"1\"", .cacheControl: "max-age=10"])
      }
      let headers: Headers = [
        .eTag: "\"1\"", .cacheControl: "max-age=60", .vary: "Accept-Language",
      ]
      guard request.headers[.acceptLanguage] == "de" else { return Service.fresh("one", headers) }
      return Service.fresh("", headers, status: method == .head ? .ok : .notModified)
    }
    _ = try await service.load("/a", [.acceptLanguage: "de"])
    service.clock.advance(by: .seconds(11))

    _ = try await service.client.load(
      .void(Request(method, "/a", headers: [.acceptLanguage: "de"])))

    #expect(try await service.load("/a", [.acceptLanguage: "en"]).source == "from the server")
    #expect(try await service.load("/a").source == "from the server")
  }

  @Test func `4.1: each variant is stored, and used for its own requests`() async throws {
    let service = Service()
    service.transport.stub("GET /a") { request in
      Service.fresh(
        request.headers[.acceptLanguage] ?? "none",
        [.vary: "Accept-Language", .cacheControl: "max-age=60"])
    }

    for _ in 0..<2 {
      #expect(try await service.load("/a").text == "none")
      #expect(try await service.load("/a", [.acceptLanguage: "de"]).text == "de")
      #expect(try await service.load("/a", [.acceptLanguage: "en"]).text == "en")
    }
    #expect(service.transport.requests.count == 3)
  }
}
