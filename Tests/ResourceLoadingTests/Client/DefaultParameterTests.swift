import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct DefaultParameterTests {
  @Test(
    arguments: [
      (.get("/a"), "/a?key=k&user%5Bid%5D=5", nil),
      (.get("/a?key=own"), "/a?key=own&user%5Bid%5D=5", nil),
      (Request.post("/a").form(["x": 1]), "/a", "x=1&key=k&user%5Bid%5D=5"),
      (Request.post("/a").form(["key": "own", "user": ["id": 6]]), "/a", "key=own&user%5Bid%5D=6"),
      (Request.post("/a").form([:]), "/a", "key=k&user%5Bid%5D=5"),
      (Request.post("/a").json(["x": 1]), "/a?key=k&user%5Bid%5D=5", #"{"x":1}"#),
      (.post("/a"), "/a?key=k&user%5Bid%5D=5", nil),
      (.get("https://other.example/a"), "/a", nil),
      (Request.post("https://other.example/a").form(["x": 1]), "/a", "x=1"),
    ] as [(Request, String, String?)])
  func `parameters go into a form, or otherwise the query, for the client's origin only`(
    _ request: Request, _ target: String, _ body: String?
  ) async throws {
    let transport = StubTransport()
    transport.stub("*", .status(.ok))
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
      $0.parameters = ["key": "k", "user": ["id": 5]]
    }

    try await client.load(.void(request))

    let sent = try #require(transport.requests.first)
    let parts = try #require(URLComponents(url: sent.url, resolvingAgainstBaseURL: true))
    #expect(parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "") == target)
    #expect(try sent.body.map { String(decoding: try $0.data(), as: UTF8.self) } == body)
  }

  @Test func `a default that can't be encoded fails the load`() async throws {
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = StubTransport()
      $0.parameters = ["x": Double.nan]
    }

    for request in [Request.get("/"), Request.post("/").form(["a": 1])] {
      let error = await #expect(throws: LoadError.self) { try await client.load(.void(request)) }
      #expect(error?.kind == .invalidRequest)
    }
  }
}
