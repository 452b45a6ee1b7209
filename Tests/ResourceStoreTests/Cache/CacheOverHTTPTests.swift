import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport
import TestSupport
import Testing

/// A cache over a server that speaks HTTP, on a manual clock.
@Suite(.inTurn, .serialized, .timeLimit(.minutes(10)))
struct CacheOverHTTPTests {
  private let clock = ManualClock()

  private func client(
    _ server: LoopbackServer, _ transport: (any Transport)?, _ middleware: any Middleware...
  ) -> Client {
    Client(baseURL: server.url()) {
      $0.transport = transport
      $0.clock = clock
      $0.middleware = middleware
    }
  }

  private func source(_ client: Client, _ path: RequestPath) async throws -> String {
    try await client.load(Resource(.get(path)) { "\($0.source)" })
  }

  /// The engine of a client by default, and a session.
  static let transports: [@Sendable () -> (any Transport)?] = [{ nil }, { URLSessionTransport() }]

  @Test(arguments: transports.indices)
  func `responses are fresh, revalidated, replaced, and used without a network`(index: Int)
    async throws
  {
    let database = try Database()
    let server = try LoopbackServer {
      LoopbackRoute("GET /a") { request in
        let headers: KeyValuePairs = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
        return request.header("If-None-Match") == "\"1\""
          ? .response(status: 304, headers: headers, body: "")
          : .response(headers: headers, body: "a")
      }
      LoopbackRoute("PUT /a", .status(204))
    }
    defer { server.stop() }
    let cache = HTTPCache(.memory(), before: .sqlite(database.file))
    let client = client(server, Self.transports[index](), cache)
    defer { client.close() }

    #expect(try await source(client, "/a") == "from the server")
    clock.advance(by: .seconds(30))
    #expect(try await source(client, "/a").hasPrefix("from the cache, 3"))
    clock.advance(by: .seconds(31))
    #expect(try await source(client, "/a") == "from the cache, still good")
    #expect(server.requests.map { $0.header("If-None-Match") } == [nil, "\"1\""])
    try await client.load(.void(Request(.put, "/a")))
    #expect(try await source(client, "/a") == "from the server")
    server.stop()
    clock.advance(by: .seconds(1000))
    #expect(try await source(client, "/a").contains("stale because of an error: connection failed"))
  }

  @Test(arguments: transports.indices, [true, false])
  func `a response to a credential never reaches another, in either order`(
    index: Int, isOutside: Bool
  ) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /me") { request in
        .response(
          headers: ["Cache-Control": "max-age=60"],
          body: request.header("Authorization") ?? "nobody")
      }
    }
    defer { server.stop() }
    let (cache, authentication) = (HTTPCache(.memory()), BearerAuthentication(token: "a"))
    let transport = Self.transports[index]()
    let client =
      isOutside
      ? client(server, transport, authentication, cache)
      : client(server, transport, cache, authentication)
    defer { client.close() }

    for token in ["a", "b", "a", "b"] as [BearerToken] {
      authentication.signIn(token)
      #expect(try await client.load(.text(.get("/me"))) == "Bearer \(token.value)")
    }
    try await cache.removeCredentials()
    #expect(try await client.load(.text(.get("/me"))) == "Bearer b")

    #expect(server.requests.count == 3)
  }

  @Test(arguments: transports.indices)
  func
    `many loads of a stale response revalidate it once, if they are coalesced in front of the cache`(
      index: Int
    ) async throws
  {
    let gate = Gate()
    let server = try LoopbackServer {
      LoopbackRoute("GET /a") { request in
        request.header("If-None-Match") == nil
          ? .response(headers: ["Cache-Control": "max-age=10", "ETag": "\"1\""], body: "a")
          : [.wait(gate), .status(304)]
      }
    }
    defer { server.stop() }
    let client = client(
      server, Self.transports[index](), CoalescingMiddleware(), HTTPCache(.memory()))
    defer { client.close() }
    _ = try await source(client, "/a")
    clock.advance(by: .seconds(20))

    let loads = (0..<50).map { _ in client.promise(for: Resource.text(.get("/a"))) }
    try await server.waitForRequests(count: 2)
    gate.open()

    #expect(try await Promise.all(loads).get() == Array(repeating: "a", count: 50))
    // Loads that began after the first answer found it renewed.
    #expect(server.requests.count == 2)
  }
}
