import Foundation
import PromiseModule
import ResourceLoading
import ResourceTesting
import Synchronization
import TestSupport
import Testing

/// What is sent to other origins.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct OriginTests {
  private func makeTransport() -> StubTransport {
    let transport = StubTransport()
    transport.stub("/here", .response(status: 307, headers: [.location: "/there"]))
    transport.stub("/away", .response(status: 307, headers: [.location: "https://b.example/there"]))
    transport.stub("/there", .response(body: Data("ok".utf8)))
    return transport
  }

  @Test func `with the policy sameOrigin, only redirects within the origin are followed`()
    async throws
  {
    let transport = makeTransport()
    let client = Client(baseURL: URL(string: "https://a.example")) {
      $0.transport = transport
      $0.options.redirects = .sameOrigin
    }

    try await client.load(.void(.get("/here")))
    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(.get("/away")))
    }

    #expect(error?.kind == .redirect && error?.reason.contains("another origin") == true)
    #expect(transport.requests.map { $0.url.host() } == ["a.example", "a.example", "a.example"])
  }

  @Test(arguments: [false, true])
  func `only requests to the client's origin are signed, and the signer gets the hop`(_ all: Bool)
    async throws
  {
    let transport = makeTransport()
    let client = Client(baseURL: URL(string: "https://a.example")) {
      $0.transport = transport
      $0.signsOtherOrigins = all
      $0.sign = { request, hop in
        request.headers["X-Sign"] = "\(hop.redirects) \(hop.origin.path())"
      }
    }

    try await client.load(.void(.get("/here")))
    try await client.load(.void(.get("/away")))
    try await client.load(.void(try #require(URL(string: "https://c.example/there"))))

    #expect(
      transport.requests.map { $0.headers["X-Sign"] } == [
        "0 /here", "1 /here", "0 /away", all ? "1 /away" : nil, all ? "0 /there" : nil,
      ])
  }

  @Test func `without a base URL, requests to the load's first origin are signed`() async throws {
    let transport = makeTransport()
    let client = Client {
      $0.transport = transport
      $0.sign = { request, _ in request.headers["X-Sign"] = "1" }
    }

    try await client.load(.void(try #require(URL(string: "https://a.example/away"))))

    #expect(transport.requests.map { $0.headers["X-Sign"] } == ["1", nil])
  }

  @Test(arguments: [false, true])
  func `a request with a path from another origin isn't signed`(_ all: Bool) async throws {
    let transport = StubTransport()
    transport.stub("/start", .response(status: 302, headers: [.location: "https://b.example/x"]))
    transport.stub(
      "/x", .response(status: 302, headers: [.location: "https://a.example/pay?to=evil"]))
    transport.stub("/pay", .json("{}"))
    let client = Client(baseURL: URL(string: "https://a.example")) {
      $0.transport = transport
      $0.signsOtherOrigins = all
      $0.sign = { request, _ in request.headers["X-Sign"] = "1" }
    }

    try await client.load(.void(.get("/start")))
    try await client.load(.void(try #require(URL(string: "https://b.example/x"))))

    let signed: [String?] = all ? ["1", "1", "1", "1", "1"] : ["1", nil, nil, nil, nil]
    #expect(transport.requests.map { $0.headers["X-Sign"] } == signed)
  }

  @Test func `a load doesn't use the cookies of a user who signed in after its beginning`()
    async throws
  {
    let (transport, jar, gate) = (StubTransport(), CookieJar(), Gate())
    func cookie(_ value: String) -> Cookie {
      Cookie(name: "sid", value: value, domain: "a.example")
    }
    transport.stub(
      "/old", .response(status: 302, headers: [.location: "/new"]).waiting(for: gate))
    transport.stub("/new", .json("{}"))
    let client = Client(baseURL: URL(string: "https://a.example")) {
      $0.transport = transport
      $0.cookies = jar
    }
    jar.insert(cookie("alice"))

    let load = client.promise(for: Resource.void(.get("/old")))
    try await transport.waitForRequests(count: 1)
    jar.removeAll()
    jar.insert(cookie("bob"))
    gate.open()
    try await load.get()
    try await client.load(.void(.get("/new")))

    #expect(transport.requests.map { $0.headers[.cookie] } == ["sid=alice", nil, "sid=bob"])
  }

  @Test func `Host is never sent to another origin, Origin and Referer only if named`()
    async throws
  {
    let transport = makeTransport()
    let client = Client(baseURL: URL(string: "https://a.example")) {
      $0.transport = transport
      $0.options.crossOriginHeaders = ["Origin", "Host"]
    }
    let headers: Headers = [.host: "x", "Origin": "y", "Referer": "z", "Api-Version": "1"]

    try await client.load(.void(Request(.get, "/away", headers: headers)))

    #expect(transport.requests.map(\.headers.count) == [4, 1])
    #expect(transport.requests.last?.headers["Origin"] == "y")
  }
}
