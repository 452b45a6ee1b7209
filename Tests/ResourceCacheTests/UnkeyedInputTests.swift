import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Responses may depend on more than their URL and partition. A response for one request isn't used
/// for another.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct UnkeyedInputTests {
  typealias Service = CachedService

  @Test(arguments: [301, 308] as [Status])
  func `a redirect that one request didn't follow is followed for the next`(_ status: Status)
    async throws
  {
    let service = Service()
    service.transport.stub(
      "GET /old",
      .response(status: status, headers: [.location: "/new", .cacheControl: "max-age=60"]))
    service.transport.stub("GET /new", Service.fresh("here"))
    var plain = Request.get("/old")
    plain.options.redirects = .never
    plain.options.acceptedStatuses = .any

    for _ in 0..<2 { #expect(try await service.load(plain).text.isEmpty) }

    #expect(try await service.load("/old").text == "here")
    #expect(service.transport.requests.map { $0.url.path() } == ["/old", "/old", "/new"])
  }

  @Test func `a body in a coding that one request asked for isn't used for another`() async throws {
    let service = Service()
    service.transport.stub("*") { request in
      request.headers[.acceptEncoding] == "br"
        ? Service.fresh("coded", [.cacheControl: "max-age=60", .contentEncoding: "br"])
        : Service.fresh("plain")
    }

    #expect(try await service.load("/a", [.acceptEncoding: "br"]).text == "coded")

    #expect(try await service.load("/a").text == "plain")
  }

  @Test func `a body in a coding is used for requests that match Vary`() async throws {
    let service = Service()
    service.transport.stub("*") { _ in
      Service.fresh(
        "coded",
        [.cacheControl: "max-age=60", .contentEncoding: "br", .vary: "Accept-Encoding"])
    }

    for _ in 0..<2 { _ = try await service.load("/a", [.acceptEncoding: "br"]) }

    #expect(service.transport.requests.count == 1)
  }

  @Test(arguments: ["X-Request-ID", "Accept-Profile", "Sec-Session"] as [Headers.Name])
  func `a header that the program calls secret partitions the cache`(name: Headers.Name)
    async throws
  {
    let service = Service { $0.options.secretNames = [name.rawValue] }
    service.transport.stub("*") { Service.fresh($0.headers[name] ?? "nobody") }

    for _ in 0..<2 {
      #expect(try await service.load("/me").text == "nobody")
      #expect(try await service.load("/me", [name: "a"]).text == "a")
    }
    #expect(service.transport.requests.count == 2)
  }

  @Test func `a header that the program calls secret is hashed if Vary names it`() throws {
    var request = CacheExchange.request(["Accept-Profile": "swordfish"])
    request.options.secretNames = ["accept-profile"]

    let stored = CacheExchange.stored([.vary: "Accept-Profile"], to: request)

    #expect(stored.isSelected(by: request))
    #expect(!"\(stored.selectingHeaders)\(stored.variant)".contains("swordfish"))
  }
}
