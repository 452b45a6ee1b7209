import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PassingByTests {
  typealias Service = CachedService

  @Test func `downloads and streams neither use nor fill the cache`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one"), Service.fresh("two"))
    let file = FileManager.default.temporaryDirectory
      .appending(path: "ResourceCacheTests-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }

    for text in ["one", "two"] {
      _ = try await service.client.load(.download(.get("/a"), to: file))
      #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }
    for try await line in try await service.client.stream(.get("/a")).lines {
      #expect(line == "two")
    }

    #expect(service.events == [] && service.transport.requests.count == 3)
    #expect(try await service.load("/a").source == "from the server")
  }

  @Test func `a download of a range neither uses nor fills the cache`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("0123", [.cacheControl: "max-age=60"]))
    let file = FileManager.default.temporaryDirectory
      .appending(path: "ResourceCacheTests-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let download = Request.get("/a").header(.range, "bytes=0-1")

    _ = try await service.client.load(.download(download, to: file))
    #expect(try await service.load("/a").source == "from the server")
    _ = try await service.client.load(.download(download, to: file))

    #expect(service.transport.requests.count == 3 && service.events == [])
  }

  @Test func `a fresh response answers a caller's conditions, or otherwise the server does`()
    async throws
  {
    let service = Service()
    service.transport.stub(
      "GET /a", Service.fresh("one", [.eTag: "\"1\"", .cacheControl: "max-age=60", "X-A": "b"]),
      .status(304))
    _ = try await service.load("/a")
    func ask(_ tag: String) async throws -> Response {
      let request = Request(.get, "/a", headers: [.ifNoneMatch: tag]).acceptedStatuses([200, 304])
      return try await service.client.load(Resource(request) { $0 })
    }

    let (known, other) = (try await ask("\"1\""), try await ask("\"2\""))
    service.clock.advance(by: .seconds(61))
    let asked = try await ask("\"1\"")

    #expect(known.status == .notModified && known.body.isEmpty && known.headers["X-A"] == nil)
    #expect(known.headers[.eTag] == "\"1\"" && "\(known.source)".hasPrefix("from the cache"))
    #expect(other.status == .ok && other.body == Data("one".utf8))
    #expect(asked.status == .notModified && "\(asked.source)" == "from the server")
    #expect(service.transport.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"1\""])
  }

  @Test func `a body that is too large isn't stored, and its predecessor is removed`() async throws
  {
    let transport = StubTransport()
    transport.stub("*", Service.fresh("1234567", [.eTag: "\"1\""]), Service.fresh("12345678"))
    let client = Client(baseURL: URL(string: "https://a.example")!) {
      $0.transport = transport
      $0.middleware = [HTTPCache(.memory(), maximumBodySize: 7)]
    }

    for _ in 0..<3 { _ = try await client.load(.text(.get("/a"))) }

    #expect(transport.requests.map { $0.headers[.ifNoneMatch] } == [nil, "\"1\"", nil])
  }

  @Test
  func `a stored response that exceeds the load's limit is an error, as it is without a cache`()
    async throws
  {
    let service = Service()
    service.transport.stub("*", Service.fresh("12345678"))
    _ = try await service.load("/a")

    let error = await #expect(throws: LoadError.self) {
      try await service.load(.get("/a").maximumBodySize(7))
    }

    #expect(error?.kind == .tooLarge)
  }

  @Test func `the truncated body of an error response isn't stored`() async throws {
    let service = Service()
    let body = String(repeating: "x", count: 2 << 20)
    service.transport.stub("*", Service.fresh(body, status: 404))

    await #expect(throws: LoadError.self) { try await service.load("/a") }
    let whole = try await service.load(.get("/a").acceptedStatuses([404]))

    #expect(whole.text.utf8.count == body.utf8.count)
  }

  @Test func `a dry run returns the request, and doesn't use or change stored responses`()
    async throws
  {
    let service = Service()
    service.transport.stub("*", Service.fresh("one"))
    _ = try await service.load("/a")

    let dryRun = try await service.client.dryRun(.text(.get("/a")))

    #expect(dryRun.request?.url.path() == "/a")
    #expect(service.events == [])
  }

  @Test func `values are decoded by the decoder of the client`() async throws {
    struct Dated: Decodable, Sendable { var day: Date }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let service = Service { $0.decoder = decoder }
    service.transport.stub("*", Service.fresh(#"{"day": "2026-01-01T00:00:00Z"}"#))

    for _ in 0..<2 {
      _ = try await service.client.load(Resource<Dated>(json: .get("/a")))
    }

    #expect(service.transport.requests.count == 1)
  }

  @Test func `a response after redirects is revalidated each time, by its own validator`()
    async throws
  {
    let service = Service()
    service.transport.stub("GET /a", .response(status: 302, headers: [.location: "/b"]))
    service.transport.stub(
      "GET /b", Service.fresh("b", [.cacheControl: "max-age=60", .eTag: "\"b\""]),
      Service.fresh("", [.eTag: "\"b\""], status: 304),
      .error(LoadError(.connection, "no network")))

    #expect(try await service.load("/a").text == "b")
    #expect(
      try await service.load("/a") == Loaded(text: "b", source: "from the cache, still good"))
    #expect(try await service.load("/a").source.contains("stale because of an error"))
    #expect(
      service.transport.requests.map { $0.url.path() } == ["/a", "/b", "/a", "/b", "/a", "/b"])
  }

  @Test func `after other redirects, a 304 doesn't confirm the stored response`()
    async throws
  {
    let service = Service()
    service.transport.stub(
      "GET /a", .response(status: 302, headers: [.location: "/b"]),
      .response(status: 302, headers: [.location: "/c"]))
    service.transport.stub("GET /b", Service.fresh("b", [.eTag: "\"1\""]))
    service.transport.stub("GET /c") { request in
      request.headers[.ifNoneMatch] == nil
        ? Service.fresh("c", [.eTag: "\"1\""]) : Service.fresh("", [.eTag: "\"1\""], status: 304)
    }
    _ = try await service.load("/a")

    #expect(try await service.load("/a").text == "c")
  }

  @Test func `after a redirect with no-store, the response isn't stored`() async throws {
    let service = Service()
    service.transport.stub(
      "GET /a",
      .response(status: 302, headers: [.location: "/b", .cacheControl: "no-store"]))
    service.transport.stub("GET /b", Service.fresh("b", [.eTag: "\"1\""]))
    _ = try await service.load("/a")

    _ = try await service.load("/a")

    #expect(service.transport.requests.allSatisfy { $0.headers[.ifNoneMatch] == nil })
  }
}
