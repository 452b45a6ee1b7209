import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import TestSupport
import Testing

/// RFC 9111 section 4.3.5: what `HEAD` does to what is stored.
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

  @Test func `one with the same validators and length renews it`() async throws {
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
  func `one with another validator, another length or none at all removes it`(
    _ headers: Headers
  ) async throws {
    let service = try await service(headers)

    _ = try await head(service)

    #expect(try await service.load("/a").text == "two")
    #expect(service.transport.requests.last?.headers[.ifNoneMatch] == nil)
  }

  @Test(arguments: ["\"1\"", "\"2\""])
  func `one that goes past what is stored tells of it all the same`(tag: String) async throws {
    let service = try await service([.eTag: tag, .cacheControl: "max-age=1000"])

    _ = try await service.client.load(
      Resource(Request(.head, "/a").cachePolicy(.networkOnly)) { $0 })
    let loaded = try await service.load("/a")

    #expect(loaded.text == (tag == "\"1\"" ? "one" : "two"))
    #expect(service.transport.requests.last?.headers[.ifNoneMatch] == nil)
  }

  @Test func `one that fails changes nothing`() async throws {
    let service = try await service([:], status: 503)

    await #expect(throws: LoadError.self) { try await head(service) }
    _ = try await service.load("/a")

    #expect(service.transport.requests.last?.headers[.ifNoneMatch] == "\"1\"")
  }

  @Test func `what is fresh answers HEAD without its body`() async throws {
    let service = Service()
    service.transport.stub("GET /a", Service.fresh("one", Self.headers))
    _ = try await service.load("/a")

    let head = try await head(service)

    #expect(head.body.isEmpty && head.method == .head && head.headers[.contentLength] == "3")
    #expect(service.transport.requests.count == 1)
  }
}
