import Foundation
import ResourceLoading
import TestSupport
import Testing

@Suite(.inTurn)
struct RequestPathTests {
  private static let (value, host) = ("a?b=c&d#e/f", "api.example.org")

  /// The URL that a client with the base URL `https://h/api?v=1` would request.
  private static func sent(_ request: Request) throws -> String {
    let base = try #require(URL(string: "https://h/api?v=1"))
    return try WireRequest(request.below(base)).url.absoluteString
  }

  @Test(
    arguments: [
      (.get("/search?q=1"), "https://h/api/search?v=1&q=1"),
      (.get("search?q=a b&r=%2F+ü"), "https://h/api/search?v=1&q=a%20b&r=%2F+%C3%BC"),
      (.get("/search?"), "https://h/api/search?v=1"), (.get("?q=1"), "https://h/api?v=1&q=1"),
      (.get("/a?b?c=d/e"), "https://h/api/a?v=1&b?c=d/e"),
      (.get("/a\(value)"), "https://h/api/aa%3Fb%3Dc%26d%23e%2Ff?v=1"),
      (.get("/s?q=\(value)&n=\(2)"), "https://h/api/s?v=1&q=a%3Fb%3Dc%26d%23e%2Ff&n=2"),
      (.get("/s?q=\("..")"), "https://h/api/s?v=1&q=.."),
      (Request(.get, "/s?q=1", query: ["r": 2]), "https://h/api/s?v=1&q=1&r=2"),
      (Request.get("/s?q=1").query(["q": 2]), "https://h/api/s?v=1&q=1&q=2"),
      (.get("/a%2Fb/50%"), "https://h/api/a%2Fb/50%25?v=1"),
      (.get("/models/x:generate"), "https://h/api/models/x:generate?v=1"),
      (.get("x:generate"), "https://h/api/x%3Agenerate?v=1"),
      (.get(RequestPath("/what?/50%/#1" as String)), "https://h/api/what%3F/50%25/%231?v=1"),
    ] as [(Request, String)])
  func `a query in a literal is a query, and a value stays in its place`(
    _ request: Request, _ url: String
  ) throws {
    #expect(try Self.sent(request) == url)
  }

  @Test(
    arguments: [
      (.get("https://x.org/a"), "https://x.org/a"),
      (.get("http://x.org:8080/a b?q=1#top"), "http://x.org:8080/a%20b?q=1"),
      (.get("HTTPS://x.org"), "https://x.org"),
      (
        .get("https://\(host)/users/\(value)?q=\(value)"),
        "https://api.example.org/users/a%3Fb%3Dc%26d%23e%2Ff?q=a%3Fb%3Dc%26d%23e%2Ff"
      ),
      (Request.get("https://x.org/a?b=1").query(["c": 2]), "https://x.org/a?b=1&c=2"),
    ] as [(Request, String)])
  func `a literal with a scheme is that URL`(_ request: Request, _ url: String) throws {
    #expect(try WireRequest(request).url.absoluteString == url)
    #expect(try Self.sent(request) == url)
  }

  @Test(
    arguments: [
      (.get("//x.org/a"), "begins with two slashes"), (.get("/a#top"), "/a#top has a fragment"),
      (.get("/a?b=1#top"), "has a fragment"),
      (.get("\("https://x.org")/a"), "begins with a whole URL"),
      (.get("https://\("x.org/..")/a"), "can't be read"),
      (.get("https://\("a@b")/"), "can't be read"),
      (.get("https://x.org/\("..")/a"), "escaped \".\" or \"..\""),
      (.get("https://x.org/%2e%2E/a"), "escaped \".\" or \"..\""),
      (.get("ftp://x.org/a"), "the scheme \"ftp\""), (.get("https://"), "no host"),
      (.get("https://x org/"), "can't be read"),
    ] as [(Request, String)])
  func `an ambiguous path is refused with advice`(
    _ request: Request, _ reason: String
  ) throws {
    let base = try #require(URL(string: "https://h/api"))
    for request in [request, request.below(base)] {
      let error = #expect(throws: LoadError.self) { try WireRequest(request) }

      #expect(error?.kind == .invalidRequest)
      #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    }
  }

  @Test func `the query of a literal is the request's query`() {
    var request = Request.get("/s?q=1&r=a%20b")

    #expect(request.query["r"] == "a b")
    request.query["q"] = "2"
    #expect(request.url.relativeString == "/s?q=2&r=a%20b")
    #expect(request.address == .path("/s"))
    request.address = .path("/t?u=3")
    #expect(request.url.relativeString == "/t?u=3&q=2&r=a%20b")
  }
}
