import Foundation
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// Credentials in requests and nowhere else.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct AuthenticationTests {
  private func sent(
    _ authentication: any Middleware, _ request: Request = .get("/")
  ) async throws -> Request {
    let answering = Answering(statuses: 200)
    let client = Client(baseURL: nowhere) { $0.middleware = [authentication, answering] }
    try await client.load(.void(request))
    return try #require(answering.requests.first)
  }

  // RFC 7617 sections 2 and 2.1.
  @Test(arguments: [
    ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
    ("test", "123£", "Basic dGVzdDoxMjPCow=="), ("user", "", "Basic dXNlcjo="),
    ("", "pass:word", "Basic OnBhc3M6d29yZA=="),
  ])
  func `a user and a password become a Basic credential`(
    _ user: String, _ password: String, _ credential: String
  ) async throws {
    let request = try await sent(BasicAuthentication(user: user, password: password))

    #expect(request.headers[.authorization] == credential)
  }

  @Test func `a request can do without a credential`() async throws {
    let login = Request.post("/login").authenticated(false)

    for authentication in [
      BearerAuthentication(token: "t0ken"), BasicAuthentication(user: "a", password: "b"),
    ] as [any Middleware] {
      #expect(try await sent(authentication, login).headers[.authorization] == nil)
      #expect(
        try await sent(authentication, login.authenticated(true)).headers[.authorization] != nil)
    }
  }

  @Test func `a 401 to a request without a credential renews nothing`() async throws {
    let answering = Answering(statuses: 401)
    let authentication = BearerAuthentication(token: "t0ken") { _, _ in
      Issue.record("it is renewed")
      return "other"
    }
    let client = Client(baseURL: nowhere) { $0.middleware = [authentication, answering] }

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(.post("/login").authenticated(false)))
    }

    #expect(error?.status == .unauthorized && answering.requests.count == 1)
    #expect(authentication.token?.value == "t0ken")
  }

  @Test func `a bearer token may be text, which may be missing`() async throws {
    let text = "t0ken"
    let (some, none): (String?, String?) = (text, nil)

    for authentication in [
      BearerAuthentication(token: text), BearerAuthentication(token: some),
      BearerAuthentication(token: "t0ken"), BearerAuthentication(token: BearerToken(text)),
    ] {
      #expect(try await sent(authentication).headers[.authorization] == "Bearer t0ken")
    }
    #expect(try await sent(BearerAuthentication(token: none)).headers[.authorization] == nil)
    #expect(try await sent(BearerAuthentication(token: nil)).headers[.authorization] == nil)
  }

  @Test(arguments: [("a:b", "c"), ("a\n", "c"), ("a", "c\u{7F}"), ("a\0", "")])
  func `a user or a password that Basic can't contain is refused`(
    _ user: String, _ password: String
  ) async {
    let error = await #expect(throws: LoadError.self) {
      try await sent(BasicAuthentication(user: user, password: password))
    }

    #expect(error?.kind == .invalidRequest)
  }

  // RFC 6750 section 2.1.
  @Test func `a token becomes a Bearer credential`() async throws {
    let request = try await sent(BearerAuthentication(token: "mF_9.B5f-4.1JqM"))

    #expect(request.headers[.authorization] == "Bearer mF_9.B5f-4.1JqM")
  }

  @Test(arguments: ["", "a b", "a\r\nX-Evil: 1", "ä"])
  func `a token that can't be sent is refused`(_ token: String) async {
    let error = await #expect(throws: LoadError.self) {
      try await sent(BearerAuthentication(token: BearerToken(token)))
    }

    #expect(error?.kind == .invalidRequest)
    #expect(token.isEmpty || error?.description.contains(token) == false)
  }

  @Test func `a request keeps its own credential`() async throws {
    let own = Request(.get, "/", headers: [.authorization: "Custom 1"])

    for authentication in [
      BasicAuthentication(user: "a", password: "b"), BearerAuthentication(token: "t"),
    ] as [any Middleware] {
      #expect(try await sent(authentication, own).headers[.authorization] == "Custom 1")
    }
  }

  @Test(arguments: [
    ("https://example.org/x", true), ("https://EXAMPLE.org:443/x", true),
    ("http://example.org/x", false), ("https://example.org:8443/x", false),
    ("https://example.org.evil.example/x", false), ("https://api.example.org/x", false),
  ])
  func `a credential stays at the client's origin`(_ url: String, _ stays: Bool) async throws {
    let request = Request(url: try #require(URL(string: url)))

    for authentication in [
      BasicAuthentication(user: "a", password: "b"), BearerAuthentication(token: "t"),
    ] as [any Middleware] {
      #expect((try await sent(authentication, request).headers[.authorization] != nil) == stays)
    }
  }

  @Test(arguments: Engine.allCases)
  func `no error, event or dry run shows a token`(_ engine: Engine) async throws {
    let server = try LoopbackServer { LoopbackRoute("*") { _ in .status(500) } }
    defer { server.stop() }
    let told = Mutex("")
    let authentication = BearerAuthentication(token: "swordfish-1234")
    let client = Client(engine, baseURL: server.url()) {
      $0.middleware = [authentication]
      $0.observer = { event in told.withLock { $0 += "\(event.kind)" } }
    }

    let error = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/"))) }
    let run = try await client.dryRun(Resource.void(.get("/")))

    #expect(server.requests.first?.header("Authorization") == "Bearer swordfish-1234")
    #expect(error?.description.contains("swordfish") == false)
    #expect(!told.withLock(\.self).contains("swordfish"))
    #expect(!run.description.contains("swordfish"))
    #expect(!"\(authentication.token as Any)".contains("swordfish"))
  }
}
