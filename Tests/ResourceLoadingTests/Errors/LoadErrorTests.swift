import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// All three forms get the same error, which says enough to act on it.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LoadErrorTests {
  private struct Page: Decodable, Sendable {
    struct Item: Decodable, Sendable {
      struct Author: Decodable, Sendable { let name: String }
      let author: Author
    }
    let items: [Item]
  }

  private static let deep = """
    {"items": [
      {"author": {"name": "Ada"}},
      {"author": {"nick": "Bob"}}
    ]}
    """

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var target: String
    var kind: LoadError.Kind
    var texts: [String]
    var testDescription: String { name }
  }

  private static let cases: [Case] = [
    Case(
      name: "a 404 with a JSON message", target: "/missing", kind: .status,
      texts: ["404 Not Found", "server says: No such user", "request: curl -H"]),
    Case(
      name: "HTML where JSON was expected", target: "/html", kind: .parsing,
      texts: ["the body is HTML, not JSON", "<!DOCTYPE html>", "200 OK, text/html"]),
    Case(
      name: "a missing key deep in the document", target: "/deep", kind: .parsing,
      texts: [
        "the key \"name\" is missing", "at items[1].author.name, line 3, column 14",
        #""nick": "Bob""#,
      ]),
    Case(
      name: "JSON that breaks off", target: "/broken", kind: .parsing,
      texts: ["line 2, column 8", "near: "]),
    Case(name: "an empty body", target: "/empty", kind: .parsing, texts: ["the body is empty"]),
    Case(
      name: "a truncated body", target: "/truncated", kind: .connection,
      texts: ["connection failed"]),
    Case(name: "a reset", target: "/reset", kind: .connection, texts: ["connection failed"]),
    Case(
      name: "a redirect loop", target: "/loop", kind: .redirect,
      texts: ["more than 20 redirects", "/loop → 302 Found"]),
    Case(
      name: "a redirect to another scheme", target: "/file", kind: .redirect,
      texts: ["isn't http or https"]),
    Case(
      name: "a Basic challenge", target: "/basic", kind: .authentication,
      texts: ["401 Unauthorized", "credentials"]),
  ]

  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer {
      LoopbackRoute("GET /missing") { _ in .json(#"{"message": "No such user"}"#, status: 404) }
      LoopbackRoute("GET /html") { _ in
        .response(
          headers: ["Content-Type": "text/html"], body: "<!DOCTYPE html>\n<title>Log in</title>")
      }
      LoopbackRoute("GET /deep") { _ in .json(Self.deep) }
      LoopbackRoute("GET /broken") { _ in .json("{\"items\":\n [1, 2,}") }
      LoopbackRoute("GET /empty") { _ in .response() }
      LoopbackRoute("GET /truncated") { _ in
        [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"items\""), .close]
      }
      LoopbackRoute("GET /reset") { _ in
        [.bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1"), .reset]
      }
      LoopbackRoute("GET /loop") { _ in .redirect(to: "/loop") }
      LoopbackRoute("GET /file") { _ in .redirect(to: "file:///etc/passwd") }
      LoopbackRoute("GET /basic") { _ in
        .response(status: 401, headers: ["WWW-Authenticate": #"Basic realm="x""#], body: "{}")
      }
    }
  }

  @Test(arguments: cases, Means.allCases)
  func `every form delivers the same informative error`(_ example: Case, _ means: Means)
    async throws
  {
    let server = try makeServer()
    defer { server.stop() }
    let resource = Resource<Page>(json: server.url(example.target))

    var descriptions: Set<String> = []
    for form in Form.allCases {
      let result = await form.load(resource, with: means.makeLoader())
      let error = try #require(result.failure as? LoadError)
      #expect(error.kind == example.kind)
      descriptions.insert(error.description)
    }

    let description = try #require(descriptions.first)
    #expect(descriptions.count == 1)
    for text in example.texts { #expect(description.contains(text), "\(description)") }
  }

  @Test(arguments: [
    ("/missing", LoadError.Kind.status, Status.notFound), ("/deep", .parsing, .ok),
    ("/basic", .authentication, .unauthorized),
  ])
  func `an error has the status of the response, whatever its kind`(
    _ target: String, _ kind: LoadError.Kind, _ status: Status
  ) async throws {
    let server = try makeServer()
    defer { server.stop() }
    let client = Client(baseURL: server.url("/"))

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.json(.get(RequestPath(target)), as: Page.self))
    }

    #expect(error?.kind == kind && error?.status == status)
    #expect(LoadError(.invalidRequest, "nothing was sent").status == nil)
  }

  @Test(arguments: [
    ("http://127.0.0.1:1/x", LoadError.Kind.connection, "can't be reached"),
    ("http://host.invalid/", .connection, "host name can't be resolved"),
    ("ftp://example.org/x", .invalidRequest, "\"ftp\" can't be loaded"),
    ("file:///etc/passwd", .invalidRequest, "\"file\" can't be loaded"),
    ("http:///x", .invalidRequest, "no host"),
    ("http://localhost:99999/", .invalidRequest, "port 99999"),
    ("users/octocat", .invalidRequest, "the scheme is missing"),
  ])
  func `unreachable hosts and invalid requests have different errors`(
    _ address: String, _ kind: LoadError.Kind, _ text: String
  ) async throws {
    let resource = Resource.data(try #require(URL(string: address)))

    for means in Means.allCases {
      var descriptions: Set<String> = []
      for form in Form.allCases {
        let result = await form.load(resource, with: means.makeLoader())
        let error = try #require(result.failure as? LoadError)
        #expect(error.kind == kind)
        descriptions.insert(error.description)
      }
      #expect(descriptions.count == 1)
      #expect(descriptions.first?.contains(text) == true, "\(descriptions)")
    }
  }

  @Test(arguments: Means.allCases)
  func `the error keeps the status, the headers and the first 64 KiB of the body`(_ means: Means)
    async throws
  {
    let body = String(repeating: "x", count: 100_000)
    let server = try LoopbackServer {
      LoopbackRoute("GET /") { _ in .response(status: 500, headers: ["X-Id": "7"], body: body) }
    }
    defer { server.stop() }

    let error = await #expect(throws: LoadError.self) {
      try await means.makeLoader().load(.data(server.url("/")))
    }

    #expect(error?.status == 500)
    #expect(error?.response?.headers["x-id"] == "7")
    #expect(error?.response?.body.count == 65_536)
    #expect(error?.response?.bodySize == 100_000)
  }

  @Test func `a kind has a stable identifier, and a description in words`() {
    let kinds: [LoadError.Kind] = [.timedOut, .secureConnection, .graphQL, .notCached]

    #expect(kinds.map(\.rawValue) == ["timedOut", "secureConnection", "graphQL", "notCached"])
    #expect(
      kinds.map(\.description) == [
        "timed out", "secure connection failed", "GraphQL errors", "not in the cache",
      ])
    #expect(LoadError.Kind(rawValue: "brokenByUser").description == "brokenByUser")
  }

  @Test func `a redirect from https to http is refused`() {
    let error = RefusalProbe.refusal(from: "https://a.example/", to: "http://a.example/")

    #expect(error == "the server redirects from https to http")
  }
}

extension Result {
  /// The failure, `nil` for a success.
  var failure: Failure? {
    guard case .failure(let failure) = self else { return nil }
    return failure
  }
}
