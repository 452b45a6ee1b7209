import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import TestSupport
import Testing

/// A response to one credential never reaches another, wherever the credential is added.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PartitionTests {
  typealias Service = CachedService

  /// Adds a key without declaring it.
  private struct SecretKey: Middleware {
    let key: @Sendable () -> String?

    func respond(to request: Request, next: Next) async throws -> Response {
      try await next(request.header("X-API-Key", key()))
    }
  }

  /// A service that answers with the credential of the request.
  private func service(
    _ storage: any ResponseStorage = MemoryResponseStorage(), before: [any Middleware] = [],
    behind: [any Middleware] = [], _ headers: Headers = [.cacheControl: "max-age=60"],
    _ configure: (inout Client.Configuration) -> Void = { _ in }
  ) -> Service {
    let service = Service(storage, before: before, behind: behind, configure)
    service.transport.stub("*") { request in
      let names: [Headers.Name] = [.authorization, .cookie, "X-API-Key"]
      let secret = names.compactMap { request.headers[$0] }.joined(separator: "+")
      return Service.fresh(secret.isEmpty ? "nobody" : secret, headers)
    }
    return service
  }

  @Test(arguments: Storage.allCases, [true, false])
  func `with authentication before or after the cache, each token has its own partition`(
    storage: Storage, isOutside: Bool
  ) async throws {
    let authentication = BearerAuthentication(token: "a")
    let service = service(
      try storage.make(), before: isOutside ? [authentication] : [],
      behind: isOutside ? [] : [authentication])

    for _ in 0..<2 {
      authentication.signIn("a")
      #expect(try await service.load("/me").text == "Bearer a")
      authentication.signIn("b")
      #expect(try await service.load("/me").text == "Bearer b")
      authentication.signOut()
      #expect(try await service.load("/me").text == "nobody")
    }

    #expect(service.transport.requests.count == 3)
  }

  @Test(arguments: [true, false])
  func `a password, user info in a URL and cookies have partitions of their own`(
    isOutside: Bool
  ) async throws {
    let basic = BasicAuthentication(user: "u", password: "p")
    let jar = CookieJar()
    let service = service(
      before: isOutside ? [basic] : [], behind: isOutside ? [] : [basic]
    ) { $0.cookies = jar }
    let url = try #require(URL(string: "https://x:y@api.example.org/me"))

    #expect(try await service.load("/me").text == "Basic dTpw")
    jar.insert(Cookie(name: "sid", value: "1", domain: "api.example.org"))
    #expect(try await service.load("/me").text == "Basic dTpw+sid=1")
    #expect(try await service.load(Request(url: url)).text == "Basic dTpw+sid=1")
    #expect(try await service.load("/me").source.hasPrefix("from the cache"))
    #expect(service.transport.requests.count == 2)
  }

  @Test func `user info in a URL is a credential and not part of the key's URL`() async throws {
    let service = service()
    func url(_ user: String) throws -> URL {
      try #require(URL(string: "https://\(user)api.example.org/me"))
    }

    for _ in 0..<2 {
      #expect(try await service.load(Request(url: url("u:p@"))).text == "Basic dTpw")
      #expect(try await service.load(Request(url: url("v:p@"))).text == "Basic djpw")
      #expect(try await service.load(Request(url: url(""))).text == "nobody")
    }
    #expect(service.transport.requests.count == 3)
    #expect(CacheKey(url: try url("u:p@"), partition: .anonymous).url.contains("@") == false)
  }

  @Test
  func `a response to a credential that later middleware doesn't declare isn't stored`()
    async throws
  {
    let number = Counter()
    let service = service(behind: [SecretKey { "k\(number.next())" }])

    #expect(try await service.load("/me").text == "k1")
    #expect(try await service.load("/me").text == "k2")
  }

  @Test func `middleware before the cache needn't declare its credential`() async throws {
    let service = service(before: [SecretKey { "k" }])

    #expect(try await service.load("/me").text == "k")
    #expect(try await service.load("/me").source.hasPrefix("from the cache"))
  }

  @Test func `a response to a signed request isn't stored`() async throws {
    let number = Counter()
    let service = service {
      $0.sign = { request, _ in request.headers[.authorization] = "AWS \(number.next())" }
    }

    #expect(try await service.load("/me").text == "AWS 1")
    #expect(try await service.load("/me").text == "AWS 2")
  }

  @Test func `a response to one user isn't stored for another who signs in meanwhile`()
    async throws
  {
    let (authentication, gate) = (BearerAuthentication(token: "a"), Gate())
    let service = Service(behind: [authentication])
    service.transport.stub("GET /me") { request in
      let answer = Service.fresh(request.headers[.authorization] ?? "")
      return request.headers[.authorization] == "Bearer a" ? answer.waiting(for: gate) : answer
    }

    async let early = service.load("/me")
    try await service.transport.waitForRequests(count: 1)
    authentication.signIn("b")
    gate.open()

    #expect(try await early.text == "Bearer a")
    #expect(try await service.load("/me").text == "Bearer b")
    #expect(try await service.load("/me").text == "Bearer b")
  }

  @Test func `after a 304 to another user the request is repeated without conditions`() async throws
  {
    let authentication = BearerAuthentication(token: "a") { _, _ in "b" }
    let service = Service(behind: [authentication])
    service.transport.stub("GET /me") { request in
      switch (request.headers[.authorization], request.headers[.ifNoneMatch]) {
      case ("Bearer a", nil): Service.fresh("of a", [.eTag: "\"1\""])
      case ("Bearer a", _): .status(401)
      case (_, nil): Service.fresh("of b", [.eTag: "\"1\""])
      default: Service.fresh("", [.eTag: "\"1\""], status: 304)
      }
    }
    _ = try await service.load("/me")

    let second = try await service.load("/me")

    #expect(second == Loaded(text: "of b", source: "from the server"))
  }

  /// Headers that may have determined an answer: credentials of any name, and others that a server
  /// may use without the cache's knowledge.
  static let telling: [Headers.Name] = [
    "X-Functions-Key", "Ocp-Apim-Subscription-Key", "DD-APPLICATION-KEY", "X-Tenant",
    "X-Forwarded-Host", "X-Original-URL", "X-HTTP-Method-Override", "Host", "Origin", "Referer",
    "X-Amz-Server-Side-Encryption-Customer-Key", "X-Whatever", "X-Auth", "Prefer",
  ]

  @Test(arguments: telling)
  func `two values of a header that may identify a user share no responses`(
    name: Headers.Name
  ) async throws {
    let service = Service()
    service.transport.stub("*") { Service.fresh($0.headers[name] ?? "nobody") }

    for _ in 0..<2 {
      #expect(try await service.load("/me").text == "nobody")
      #expect(try await service.load("/me", [name: "a"]).text == "a")
      #expect(try await service.load("/me", [name: "b"]).text == "b")
    }

    #expect(service.transport.requests.count == 3)
  }

  @Test(
    arguments: [
      .accept, .acceptLanguage, .userAgent, "X-Request-ID", "traceparent", "Sec-Fetch-Mode",
    ] as [Headers.Name])
  func `a harmless header doesn't affect the partition`(name: Headers.Name) async throws {
    let service = Service()
    service.transport.stub("*", Service.fresh("one"))

    for value in ["a", "b"] { _ = try await service.load("/me", [name: value]) }

    #expect(service.transport.requests.count == 1)
  }

  @Test func `a program can list further harmless headers`() async throws {
    let transport = StubTransport()
    transport.stub("*", Service.fresh("one"))
    let cache = HTTPCache(.memory(), sharedHeaders: ["X-Client-Version"])
    let client = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
      $0.middleware = [cache]
    }
    func load(_ headers: Headers) async throws {
      _ = try await client.load(.text(Request(.get, "/me", headers: headers)))
    }

    for value in ["1", "2"] { try await load(["x-client-version": value]) }
    #expect(transport.requests.count == 1)
    for value in ["1", "2"] { try await load(["X-Client-Version": value, "X-Tenant": "a"]) }
    #expect(transport.requests.count == 2)
    try await cache.remove(CachePartition(headers: ["X-Tenant": "a"]))
    try await load(["X-Tenant": "a"])
    #expect(transport.requests.count == 3)
  }

  /// Adds a header without declaring it, which the server uses.
  private struct HiddenHeader: Middleware {
    let name: Headers.Name
    let value: @Sendable () -> String

    func respond(to request: Request, next: Next) async throws -> Response {
      try await next(request.header(name, value()))
    }
  }

  @Test(arguments: ["*", "Accept-Language", "X-Mode"])
  func
    `a response that varies by a header of middleware behind the cache isn't used for other values`(
      vary: String
    ) async throws
  {
    let number = Counter()
    let name: Headers.Name = vary == "*" ? .accept : Headers.Name(rawValue: vary)
    let service = Service(behind: [HiddenHeader(name: name) { "v\(number.next())" }])
    service.transport.stub("*") { request in
      Service.fresh(request.headers[name] ?? "", [.cacheControl: "max-age=60", .vary: vary])
    }

    #expect(try await service.load("/a").text == "v1")
    #expect(try await service.load("/a").text == "v2")
  }

  @Test func `after a response sets cookies, later requests have another partition`() async throws {
    let jar = CookieJar()
    let service = Service { $0.cookies = jar }
    service.transport.stub("*") { request in
      Service.fresh(
        request.headers[.cookie] ?? "nobody", [.cacheControl: "max-age=60", .setCookie: "sid=1"])
    }

    #expect(try await service.load("/me").text == "nobody")
    #expect(try await service.load("/me").text == "sid=1")
    #expect(try await service.load("/me").source.hasPrefix("from the cache"))
    jar.removeAll()
    #expect(try await service.load("/me").text == "nobody")
  }

  @Test
  func `with an owner, a response that varies by the token isn't used after the token was renewed`()
    async throws
  {
    let transport = StubTransport()
    transport.stub("*") {
      Service.fresh(
        $0.headers[.authorization] ?? "", [.cacheControl: "max-age=60", .vary: "Authorization"])
    }
    let client = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
      $0.middleware = [HTTPCache(.memory(), owner: { _ in "me" })]
    }

    for _ in 0..<2 {
      for token in ["a", "b"] {
        let request = Request(.get, "/me", headers: [.authorization: token])
        #expect(try await client.load(.text(request)) == token)
      }
    }
    #expect(transport.requests.count == 2)
  }

  @Test func `with an owner, responses are used after the token was renewed`() async throws {
    let authentication = BearerAuthentication(token: "a")
    let transport = StubTransport()
    transport.stub("*") { Service.fresh($0.headers[.authorization] ?? "") }
    let user = Shared("1")
    let cache = HTTPCache(.memory()) { _ in user.value }
    let client = Client(baseURL: URL(string: "https://api.example.org")!) {
      $0.transport = transport
      $0.middleware = [cache, authentication]
    }

    #expect(try await client.load(.text(.get("/me"))) == "Bearer a")
    authentication.signIn("b")
    #expect(try await client.load(.text(.get("/me"))) == "Bearer a")
    user.value = "2"
    #expect(try await client.load(.text(.get("/me"))) == "Bearer b")
    try await cache.remove(CachePartition(owner: "1"))
    user.value = "1"
    #expect(try await client.load(.text(.get("/me"))) == "Bearer b")
  }
}
