import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// What a cache reports, and what of a response it forgets.
@Suite(.inTurn, .timeLimit(.minutes(15)))
struct CacheReportTests {
  private let transport = StubTransport()
  private let events = Shared<[String]>([])

  private func client(_ cache: HTTPCache) -> Client {
    Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
      $0.middleware = [cache]
      $0.observer = { [events] event in
        if case .fromCache(let source) = event.kind { events.change { $0.append("\(source)") } }
      }
    }
  }

  private func stub(_ headers: Headers = [:], status: Status = .ok) {
    var headers = headers
    headers[.cacheControl] = "max-age=600"
    transport.stub("*", .response(status: status, headers: headers, body: Data("a".utf8)))
  }

  @Test func `a hit is reported, and a miss isn't`() async throws {
    stub()
    let client = client(HTTPCache(.memory()))

    _ = try await client.load(Resource<String>.text(.get("/a")))
    #expect(events.value.isEmpty)
    _ = try await client.load(Resource<String>.text(.get("/a")))

    #expect(events.value.count == 1 && transport.requests.count == 1)
    #expect(events.value.first?.hasPrefix("from the cache") == true)
  }

  @Test func `the responses of one owner are removed, and those of another one stay`() async throws
  {
    stub()
    let cache = HTTPCache(.memory()) { $0.headers["X-User"] }
    let client = client(cache)
    let load = { (user: String) in
      _ = try await client.load(Resource<String>.text(.get("/a").header("X-User", user)))
    }
    for user in ["ada", "bob"] { try await load(user) }

    try await cache.remove(CachePartition(owner: "ada"))
    for user in ["ada", "bob"] { try await load(user) }

    #expect(transport.requests.map { $0.headers["X-User"] } == ["ada", "bob", "ada"])
  }

  @Test func `a response that isn't a redirect is used again, although it has a Location`()
    async throws
  {
    stub([.location: "/b"])
    let client = client(HTTPCache(.memory()))

    for _ in 0..<2 { _ = try await client.load(Resource<String>.text(.get("/a"))) }

    #expect(transport.requests.count == 1)
  }

  @Test func `a stored response doesn't say where it came from before`() {
    var response = CacheExchange.response()
    response.source = .revalidated

    let stored = StoredResponse(
      response, to: CacheExchange.request(),
      under: CacheKey(url: CacheExchange.url, partition: .anonymous), requestDate: Date(),
      responseDate: Date())

    #expect("\(stored.response.source)" == "\(Response.Source.network)")
  }
}
