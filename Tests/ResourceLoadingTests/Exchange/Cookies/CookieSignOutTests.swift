import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Cookies of responses that arrive after the jar was emptied. They belong to the user who has
/// signed out.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CookieSignOutTests {
  private let jar = CookieJar()
  private let transport = StubTransport()

  private func client(_ middleware: [any Middleware] = []) -> Client {
    Client(baseURL: nowhere) {
      $0.transport = transport
      $0.cookies = jar
      $0.middleware = middleware
    }
  }

  private func answer(_ session: String, status: Status = .ok, _ headers: Headers = [:])
    -> StubAnswer
  {
    var headers = headers
    headers[.setCookie] = "sid=\(session); Path=/"
    return .response(status: status, headers: headers)
  }

  @Test func `a late response sets no cookie in an emptied jar`() async throws {
    let gate = Gate()
    let client = client()
    transport.stub("*", answer("old").waiting(for: gate), answer("new"))
    async let late: Void = client.load(.void(.get("/")))
    try await transport.waitForRequests(count: 1)

    jar.removeAll()
    gate.open()
    try await late

    #expect(jar.cookies.isEmpty)
    try await client.load(.void(.get("/")))
    #expect(jar.cookies.map(\.value) == ["new"])
  }

  @Test func `neither a redirect nor a retry of an earlier load sets a cookie`()
    async throws
  {
    let gate = Gate()
    let client = client([RetryMiddleware()])
    transport.stub(
      "GET /api/a",
      answer("1", status: 503, [.retryAfter: "0"]).waiting(for: gate),
      answer("2", status: 302, [.location: "/api/b"]))
    transport.stub("GET /api/b", answer("3"))
    async let late: Void = client.load(.void(.get("a")))
    try await transport.waitForRequests(count: 1)

    jar.removeAll()
    gate.open()
    try await late

    #expect(transport.requests.map { $0.url.path() } == ["/api/a", "/api/a", "/api/b"])
    #expect(transport.requests.allSatisfy { $0.headers[.cookie] == nil })
    #expect(jar.cookies.isEmpty)
  }

  @Test func `a renewal of a token that ends after signing out sets no cookie`() async throws {
    let (gate, renewed) = (Gate(), Gate())
    let authentication = BearerAuthentication { _, loader in
      let text = try await loader.load(.text(.post("renew")))
      renewed.open()
      return BearerToken(text)
    }
    let client = client([authentication])
    transport.stub("POST /api/renew", answer("old").waiting(for: gate))
    async let late = Form.await.load(.void(.get("/")), with: client)
    try await transport.waitForRequests(count: 1)

    authentication.signOut()
    jar.removeAll()
    gate.open()
    _ = await late
    try await renewed.opened()

    #expect(jar.cookies.isEmpty)
    #expect(authentication.token == nil)
  }

  @Test func `cookies that the program inserts or stores stay`() throws {
    let url = try #require(URL(string: "https://example.org/"))
    jar.removeAll()

    jar.insert(Cookie(name: "a", value: "1", domain: "example.org"))
    jar.store([.setCookie: "b=2"], from: url)

    #expect(jar.cookies.map(\.name) == ["a", "b"])
  }
}
