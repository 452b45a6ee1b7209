import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// RFC 9111 section 4.3.5: the effect of `HEAD` on stored responses.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct HeadTests {
  typealias Service = CachedService

  private static let headers: Headers = [
    .cacheControl: "max-age=10", .eTag: "\"1\"", .contentLength: "3",
  ]

  private func service(_ head: Headers, status: Status = .ok) async throws -> Service {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one", Self.headers), Service.fresh("two"))
    service.transport.stub("HEAD /a", .response(status: status, headers: head))
    _ = try await service.load("/a")
    service.clock.advance(by: .seconds(20))
    return service
  }

  private func head(_ service: Service) async throws -> Response {
    try await service.client.load(Resource(Request(.head, "/a")) { $0 })
  }

  @Test func `a HEAD with the same validators and length updates the stored response`() async throws
  {
    let service = try await service([
      .cacheControl: "max-age=30", .eTag: "\"1\"", .contentLength: "3", "X": "new",
    ])

    let head = try await head(service)
    let loaded = try await service.load("/a")

    #expect(head.body.isEmpty && "\(head.source)" == "from the server")
    #expect(loaded == Loaded(text: "one", source: "from the cache, 0 ms old"))
  }

  @Test(
    arguments: [
      [.eTag: "\"2\"", .contentLength: "3"], [.eTag: "\"1\"", .contentLength: "4"], [:],
    ] as [Headers])
  func `a HEAD with another validator, another length or none removes the stored response`(
    _ headers: Headers
  ) async throws {
    let service = try await service(headers)

    _ = try await head(service)

    #expect(try await service.load("/a").text == "two")
    #expect(service.transport.requests.last?.headers[.ifNoneMatch] == nil)
  }

  @Test func `a HEAD with no-store removes the stored response`() async throws {
    let service = try await service([
      .cacheControl: "no-store, max-age=30", .eTag: "\"1\"", .contentLength: "3",
    ])

    _ = try await head(service)

    #expect(try await service.load("/a").text == "two")
  }

  @Test(arguments: ["\"1\"", "\"2\""])
  func `a HEAD that uses no stored response still updates it`(tag: String) async throws {
    let service = try await service([.eTag: tag, .cacheControl: "max-age=1000"])

    _ = try await service.client.load(
      Resource(Request(.head, "/a").cachePolicy(.networkOnly)) { $0 })
    let loaded = try await service.load("/a")

    #expect(loaded.text == (tag == "\"1\"" ? "one" : "two"))
    #expect(service.transport.requests.last?.headers[.ifNoneMatch] == nil)
  }

  @Test func `a failed HEAD changes nothing`() async throws {
    let service = try await service([:], status: 503)

    await #expect(throws: LoadError.self) { try await head(service) }
    _ = try await service.load("/a")

    #expect(service.transport.requests.last?.headers[.ifNoneMatch] == "\"1\"")
  }

  @Test func `a fresh response is used for HEAD without its body`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one", Self.headers))
    _ = try await service.load("/a")

    let head = try await head(service)

    #expect(head.body.isEmpty && head.method == .head && head.headers[.contentLength] == "3")
    #expect(service.transport.requests.count == 1)
  }
}
