import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// A response for one user never reaches another, wherever the request or its connection identifies
/// the user.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct IdentityTests {
  typealias Service = CachedService

  /// Adds a token to the query.
  private struct QueryToken: Middleware {
    let token: @Sendable () -> String?
    let isAnnounced: Bool

    func respond(to request: Request, next: Next) async throws -> Response {
      try await next(adding(to: request))
    }

    func credentialed(_ request: Request, next: Next) -> Request {
      isAnnounced ? adding(to: request) : request
    }

    private func adding(to request: Request) -> Request {
      guard let token = token() else { return request }
      var request = request
      request.query.items.append(QueryItems.Item("access_token", token))
      return request
    }
  }

  /// A transport with a client certificate, as far as the cache is concerned.
  private struct Certified: Transport {
    let transport: StubTransport
    let certificate: String?

    func start(_ request: WireRequest, receiver: any ExchangeReceiver) -> any Exchange {
      transport.start(request, receiver: receiver)
    }

    func identity(for url: URL) -> String? { certificate }
  }

  /// Responds with the token in the query.
  private func stubEcho(_ transport: StubTransport) {
    transport.stub("*") { request in
      let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems
      return Service.fresh(items?.first { $0.name == "access_token" }?.value ?? "nobody")
    }
  }

  @Test func `a response to a query that the signing hook completed isn't stored`() async throws {
    let user = Shared("alice")
    let service = Service {
      $0.sign = { draft, _ in
        draft.url.append(queryItems: [.init(name: "access_token", value: user.value)])
      }
    }
    stubEcho(service.transport)

    #expect(try await service.load("/me").text == "alice")
    user.value = "bob"
    #expect(try await service.load("/me").text == "bob")
  }

  @Test(arguments: [true, false])
  func `a token that later middleware adds to the query has its own partition`(
    isAnnounced: Bool
  ) async throws {
    let user = Shared("alice")
    let service = Service(behind: [QueryToken(token: { user.value }, isAnnounced: isAnnounced)])
    stubEcho(service.transport)

    for _ in 0..<2 {
      for name in ["alice", "bob"] {
        user.value = name
        #expect(try await service.load("/me?x=1").text == name)
      }
    }

    // Without an announcement it can't be looked up.
    #expect(service.transport.requests.count == (isAnnounced ? 2 : 4))
    let url = try #require(URL(string: "https://api.example.org/me?x=1"))
    try await service.cache.remove(url)
    _ = try await service.load("/me?x=1")
    #expect(service.transport.requests.count == (isAnnounced ? 3 : 5))
  }

  @Test func `a client without the certificate doesn't get responses stored with it`()
    async throws
  {
    let (storage, transport) = (MemoryResponseStorage(), StubTransport())
    func client(_ certificate: String?) -> Client {
      Client(baseURL: URL(string: "https://api.example.org")!) {
        $0.transport = Certified(transport: transport, certificate: certificate)
        $0.middleware = [HTTPCache(storage)]
      }
    }
    let clients = [client("certificate a"), client(nil), client("certificate b")]
    transport.stub("*", Service.fresh("of a"), Service.fresh("of nobody"), Service.fresh("of b"))

    for _ in 0..<2 {
      for (client, text) in zip(clients, ["of a", "of nobody", "of b"]) {
        #expect(try await client.load(.text(.get("/me"))) == text)
      }
    }
    #expect(transport.requests.count == 3)
  }

  @Test func `a response after a redirect that set a cookie isn't stored for those without it`()
    async throws
  {
    let service = Service { $0.cookies = CookieJar() }
    service.transport.stub(
      "GET /me",
      .response(status: 302, headers: [.location: "/home", .setCookie: "sid=alice; Path=/home"]))
    service.transport.stub("GET /home") { request in
      Service.fresh(request.headers[.cookie] ?? "nobody")
    }

    #expect(try await service.load("/me").text == "sid=alice")

    let other = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = service.transport
      $0.middleware = [service.cache]
    }
    let error = await #expect(throws: LoadError.self) {
      try await other.load(.text(.get("/me").cachePolicy(.cacheOnly)))
    }
    #expect(error?.kind == .notCached)
  }

  @Test func `a response after a redirect with the same credential is stored`() async throws {
    let service = Service()
    service.transport.stub("GET /old", .response(status: 302, headers: [.location: "/new"]))
    service.transport.stub("GET /new", Service.fresh("here"))
    let headers: Headers = [.authorization: "Bearer a"]

    _ = try await service.load("/old", headers)

    let offline = Request(.get, "/old", headers: headers).cachePolicy(.cacheOnly)
    #expect(try await service.load(offline).text == "here")
  }

  @Test func `a load after a removal doesn't join an earlier exchange`() async throws {
    for isInFront in [true, false] {
      let (gate, coalescing) = (Gate(), CoalescingMiddleware())
      let service = Service(
        before: isInFront ? [coalescing] : [], behind: isInFront ? [] : [coalescing])
      service.transport.stub("*", Service.fresh("0").waiting(for: gate), Service.fresh("1"))
      let reload = Request.get("/a").cachePolicy(.reload)

      async let early = service.load(reload)
      try await service.transport.waitForRequests(count: 1)
      try await service.cache.remove(try #require(URL(string: "https://api.example.org/a")))

      #expect(try await service.load(reload).text == "1")
      gate.open()
      #expect(try await early.text == "0")
      #expect(try await service.load("/a").text == "1")
    }
  }

  @Test func `a load after a removal doesn't join one that began while it was under way`()
    async throws
  {
    let (storage, gate) = (GatedStorage(), Gate())
    let service = Service(storage, before: [CoalescingMiddleware()])
    service.transport.stub(
      "*", Service.fresh("old", [.eTag: "\"1\""]),
      Service.fresh("", [.eTag: "\"1\""], status: 304).waiting(for: gate), Service.fresh("new"))
    let reload = Request.get("/a").cachePolicy(.reload)
    _ = try await service.load("/a")

    let removing = storage.stopNextRemoval()
    async let removal: Void = service.cache.removeAll()
    try await removing.waitForArrivals(count: 1)
    async let early = service.load(reload)
    try await service.transport.waitForRequests(count: 2)
    removing.open()
    try await removal

    async let late = service.load(reload)
    try await service.transport.waitForRequests(count: 3)
    gate.open()
    #expect(try await (early.text, late.text) == ("old", "new"))
  }

  @Test func `what is being removed isn't stored again by a revalidation`() async throws {
    let front = GatedStorage()
    let service = Service(TieredResponseStorage(front, before: MemoryResponseStorage()))
    service.transport.stub(
      "*", Service.fresh("old", [.cacheControl: "max-age=60", .eTag: "\"1\""]),
      Service.fresh("", [.eTag: "\"1\""], status: 304), Service.fresh("new"))
    for _ in 0..<2 { _ = try await service.load("/a") }

    // It is gone behind, and not yet in front.
    let removing = front.stopNextRemoval()
    async let removal: Void = service.cache.removeAll()
    try await removing.waitForArrivals(count: 1)
    let revalidated = try await service.load(Request.get("/a").cachePolicy(.reload))
    removing.open()
    try await removal

    #expect(revalidated == Loaded(text: "old", source: "from the cache, still good"))
    #expect(try await service.load("/a").text == "new")
  }

  @Test func `an older response that arrives late doesn't replace a newer one`() async throws {
    let gate = Gate()
    let service = Service()
    service.transport.stub("*", Service.fresh("0").waiting(for: gate), Service.fresh("1"))
    let reload = Request.get("/a").cachePolicy(.reload)

    async let early = service.load(reload)
    try await service.transport.waitForRequests(count: 1)
    service.clock.advance(by: .seconds(3))
    #expect(try await service.load(reload).text == "1")
    service.clock.advance(by: .seconds(1))
    gate.open()
    #expect(try await early.text == "0")

    #expect(try await service.load("/a").text == "1")
  }

  @Test func `the longest time limits don't trap`() async throws {
    let service = Service {
      $0.options.timeout = Duration.seconds(Int64.max)
      $0.options.attemptTimeout = Duration.seconds(Int64.max)
      $0.options.idleTimeout = Duration.seconds(Int64.max)
    }
    service.transport.stub("*", Service.fresh("a", [.eTag: "\"1\""]), .response(status: 304))
    service.clock.advance(by: .seconds(2))

    for _ in 0..<2 { #expect(try await service.load("/a").text == "a") }
  }
}
