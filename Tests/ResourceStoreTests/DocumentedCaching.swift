import Foundation
import ResourceLoading
import ResourceStore
import ResourceTesting
import Testing

/// The samples about caching, word for word.
@Suite(.timeLimit(.minutes(1)))
struct DocumentedCaching {
  @Test func `a client with a cache`() async throws {
    let server = try LoopbackServer {
      Route("GET /a", .response(headers: ["Cache-Control": "max-age=60"], body: "a"))
    }
    defer { server.stop() }
    let (url, database) = (server.url(), try Database())
    let (file, authentication) = (database.file, BearerAuthentication(token: "t"))

    let cache = HTTPCache(.memory(), before: .sqlite(file))
    let client = Client(baseURL: url) {
      $0.middleware = [Coalescing(), cache, Retry(), authentication]
    }

    #expect(try await client.load(.text(.get("/a"))) == "a")
    #expect(try await client.load(.text(.get("/a"))) == "a")
    #expect(server.requests.count == 1)
  }
}
