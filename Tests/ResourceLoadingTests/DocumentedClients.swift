import Foundation
import PromiseModule
import ResourceLoading

// Samples of the documentation of clients and middleware.

#if Curl && os(Linux)
  func loadThroughProxy() {
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .init(url: URL(string: "http://proxy.example.org:3128")!)
    let client = Client { $0.transport = CurlTransport(configuration) }
    client.close()
  }

  func loadPublicAddressesOnly() {
    var configuration = CurlTransport.Configuration()
    configuration.addresses = .publicOnly
    let client = Client { $0.transport = CurlTransport(configuration) }
    client.close()
  }
#endif

func makeTrustingClient(_ url: URL, authority: URL, key: String, backup: String) -> Client {
  let client = Client(baseURL: url) {
    $0.tls.minimumVersion = .tls13
    $0.tls.additionalAuthorities = [.file(authority)]
    $0.tls.pins = TLSOptions.PublicKeyPins(key, backup: backup)
  }
  return client
}

func makeProxiedClient(_ url: URL, proxy: URL) -> Client {
  let client = Client(baseURL: url) {
    $0.proxy = ProxyServer(url: proxy, exceptions: ["localhost"])
  }
  return client
}

func makeCheckedClient(_ url: URL) throws -> Client {
  var configuration = Client.Configuration(baseURL: url)
  configuration.tls.minimumVersion = .tls13
  try configuration.check()
  let client = Client(configuration)
  return client
}

struct Stopwatch: Middleware {
  func respond(to request: Request, next: Next) async throws -> Response {
    let start = ContinuousClock.now
    defer { print(request.url, start.duration(to: .now)) }
    return try await next(request)
  }
}

func loadWithClient(token: BearerToken) async throws -> User {
  let github = Client(baseURL: "https://api.github.com") {
    $0.headers[.userAgent] = "octo/1.0"
    $0.middleware = [RetryMiddleware(), BearerAuthentication(token: token)]
  }
  let user = try await github.load(.user("octocat"))
  return user
}

func makeCarefulClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) {
    $0.options.redirects = .sameOrigin
    $0.options.secretNames = ["X-Tenant"]
    $0.strictTransportSecurity = StrictTransportSecurity(preloaded: [.init(host: "example.org")])
  }
  return client
}

func makeStrictClient(_ url: URL) -> Client {
  let example = StrictTransportSecurity.Entry(host: "example.org", includesSubdomains: true)
  let strict = StrictTransportSecurity(preloaded: [example])
  let client = Client(baseURL: url) { $0.strictTransportSecurity = strict }
  return client
}

func explain(_ github: Client) async throws {
  print(try await github.dryRun(.user("octocat")))
}

func makeRetryingClient(_ url: URL) -> Client {
  let client = Client(baseURL: url) {
    $0.middleware = [
      RetryMiddleware(RetryPolicy(maximumAttempts: 5, backoff: Backoff(base: .seconds(1))))
    ]
  }
  return client
}

struct Grant: Decodable, Sendable {
  var token: String
  var expiration: Date
}

extension Resource where R == Grant {
  static func renewal(of expired: BearerToken?) -> Self { .json(.post("/token")) }
}

func makeAuthenticatedClient(_ url: URL, stored: BearerToken?) -> Client {
  let authentication = BearerAuthentication(token: stored) { expired, loader in
    let grant = try await loader.load(.renewal(of: expired))
    return BearerToken(grant.token, expiration: grant.expiration)
  }
  let client = Client(baseURL: url) { $0.middleware = [RetryMiddleware(), authentication] }
  return client
}

func signIn(
  _ user: String, _ password: String, _ client: Client, _ authentication: BearerAuthentication
) async throws {
  let login = Request.post("/login").json(["user": user, "password": password])
    .authenticated(false)
  let grant = try await client.load(.json(login, as: Grant.self))
  authentication.signIn(BearerToken(grant.token, expiration: grant.expiration))
}

func readWhileItComes(_ client: Client) async throws {
  let stream = try await client.stream(.get("/log"))
  for try await line in stream.lines { print(line) }

  for try await event in client.events(of: .get("/updates")) {
    print(event.type, event.data)
  }
}

func makeRememberingClient(_ url: URL) -> Client {
  let jar = CookieJar()
  let client = Client(baseURL: url) { $0.cookies = jar }
  return client
}
