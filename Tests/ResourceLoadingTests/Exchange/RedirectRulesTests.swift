import Foundation
import TestSupport
import Testing

@testable import ResourceLoading

/// RFC 9110 section 15.4, as a table.
@Suite(.inTurn)
struct RedirectRulesTests {
  private func decide(
    _ status: Status, _ method: Request.Method = .get, from source: String = "http://a.example/x/y",
    to location: String?, headers: Headers = [:], body: Data? = nil, count: Int = 0,
    policy: Request.RedirectPolicy = .follow(maximum: 20), opensSocket: Bool = false
  ) throws -> RedirectDecision {
    let request = WireRequest.Draft(
      method: method, url: try #require(URL(string: source)), headers: headers,
      body: body.map(WireBody.init))
    var head = ResponseHead(status: status, headers: [:])
    head.headers[.location] = location
    var options = Request.Options()
    options.redirects = policy
    var rules = RedirectRules(options, origin: request.url, opensSocket: opensSocket)
    rules.hop.redirects = count
    return rules.decision(after: request, head)
  }

  private func followed(_ decision: RedirectDecision) throws -> WireRequest.Draft {
    guard case .follow(let request) = decision else {
      throw LoadError(.redirect, "not followed: \(decision)")
    }
    return request
  }

  @Test(arguments: [
    (301, "POST", "GET", false), (302, "POST", "GET", false), (303, "POST", "GET", false),
    (301, "PUT", "PUT", true), (302, "DELETE", "DELETE", true), (303, "PUT", "GET", false),
    (303, "HEAD", "HEAD", true), (307, "POST", "POST", true), (308, "PATCH", "PATCH", true),
    (301, "HEAD", "HEAD", true),
  ])
  func `the status of a redirect determines method and body`(
    _ status: Int, _ method: String, _ expected: String, _ keepsBody: Bool
  ) throws {
    let next = try followed(
      decide(
        Status(rawValue: status), Request.Method(rawValue: method), to: "/z",
        headers: [.contentType: "a/b", "X": "1"], body: Data([1])))

    #expect(next.method.rawValue == expected)
    #expect((next.body != nil) == keepsBody)
    #expect((next.headers[.contentType] != nil) == keepsBody)
    #expect(next.headers["X"] == "1")
  }

  @Test(arguments: [303, 307])
  func `headers that describe a body go along with it only`(_ status: Int) throws {
    let headers: Headers = [
      "Content-Language": "de", "Digest": "sha-256=eA==", "Repr-Digest": "sha-256=:eA==:",
      .lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .expect: "100-continue",
    ]

    let next = try followed(
      decide(Status(rawValue: status), .post, to: "/z", headers: headers, body: Data([1])))

    #expect(next.headers == (next.body == nil ? [:] : headers))
  }

  @Test(arguments: [200, 201, 300, 304, 305, 306, 404])
  func `no other status redirects`(_ status: Int) throws {
    #expect(try decide(Status(rawValue: status), to: "/z") == .stop)
  }

  @Test(arguments: [["/a", "/b"], ["/a", "/a", "http://b.example/"], ["", "/a"]])
  func `a redirect to several URLs is refused`(_ locations: [String]) throws {
    let url = try #require(URL(string: "http://a.example/"))
    var head = ResponseHead(status: 302, headers: [:])
    for location in locations { head.headers.append(.location, location) }

    let decision = RedirectRules(Request.Options(), origin: url)
      .decision(after: WireRequest.Draft(url: url), head)

    guard case .refuse(let reason, _) = decision else {
      Issue.record("it was followed: \(decision)")
      return
    }
    #expect(reason == "the server redirects to several URLs at once")
  }

  @Test func `a repeated location counts once`() throws {
    let url = try #require(URL(string: "http://a.example/"))
    var head = ResponseHead(status: 302, headers: [:])
    for _ in 0..<2 { head.headers.append(.location, "/b") }

    let decision = RedirectRules(Request.Options(), origin: url)
      .decision(after: WireRequest.Draft(url: url), head)

    #expect(try followed(decision).url.absoluteString == "http://a.example/b")
  }

  @Test func `a redirect without a location is the response`() throws {
    #expect(try decide(302, to: nil) == .stop)
  }

  @Test(arguments: [
    ("z", "http://a.example/x/z"), ("/z", "http://a.example/z"), ("../z", "http://a.example/z"),
    ("?q", "http://a.example/x/y?q"), ("//b.example/z", "http://b.example/z"),
    ("HTTP://b.example:80/z#f", "http://b.example:80/z"), (" /z ", "http://a.example/z"),
    ("https://u:p@b.example/z", "https://b.example/z"), ("/a b", "http://a.example/a%20b"),
  ])
  func `a location is resolved against the URL`(_ location: String, _ expected: String) throws {
    #expect(try followed(decide(302, to: location)).url.absoluteString == expected)
  }

  @Test(arguments: [
    ("http://a.example/z", true), ("http://A.example:80/z", true), ("http://a.example:81/z", false),
    ("http://b.example/z", false), ("https://a.example/z", false),
    ("http://a.example.evil/", false),
  ])
  func `another origin sees no credentials`(_ location: String, _ keeps: Bool) throws {
    let headers: Headers = [
      .authorization: "Bearer a", .cookie: "a=b", "Proxy-Authorization": "c", "X-Api-Key": "d",
      .accept: "e",
    ]

    let next = try followed(decide(307, to: location, headers: headers))

    #expect(next.headers.count == (keeps ? 5 : 1))
    #expect(next.headers[.accept] == "e")
  }

  @Test func `https to http, other schemes, odd ports and one too many are refused`() throws {
    let downgrade = try decide(302, from: "https://a.example/", to: "http://a.example/")
    let scheme = try decide(302, to: "javascript:alert(1)")
    let port = try decide(302, to: "http://a.example:99999/")
    let tooMany = try decide(302, to: "/z", count: 20)

    for decision in [downgrade, scheme, port, tooMany] {
      guard case .refuse = decision else {
        Issue.record("\(decision)")
        return
      }
    }
  }

  @Test(arguments: [
    ("http://a.example/x", "ws://b.example/z?q", "http://b.example/z?q"),
    ("http://a.example/x", "WS://b.example:80/z", "http://b.example:80/z"),
    ("http://a.example/x", "wss://b.example:444/z", "https://b.example:444/z"),
    ("https://a.example/x", "wss://a.example/z", "https://a.example/z"),
    ("http://a.example/x", "/z", "http://a.example/z"),
    ("https://a.example/x", "https://b.example/z", "https://b.example/z"),
  ])
  func `a handshake follows locations of ws and wss as those of http and https`(
    source: String, location: String, expected: String
  ) throws {
    let decision = try decide(302, from: source, to: location, opensSocket: true)

    #expect(try followed(decision).url.absoluteString == expected)
  }

  @Test(arguments: [
    ("https://a.example/x", "ws://a.example/z", Request.RedirectPolicy.follow(maximum: 20)),
    ("http://a.example/x", "wss://a.example/z", .sameOrigin),
    ("http://a.example/x", "ws://b.example/z", .sameOrigin),
    ("http://a.example/x", "ws:z", .follow(maximum: 20)),
    ("http://a.example/x", "ws://a.example:99999/z", .follow(maximum: 20)),
    ("http://a.example/x", "ftp://a.example/z", .follow(maximum: 20)),
  ])
  func `a handshake is refused what a load is refused`(
    source: String, location: String, policy: Request.RedirectPolicy
  ) throws {
    let decision = try decide(302, from: source, to: location, policy: policy, opensSocket: true)

    guard case .refuse = decision else {
      Issue.record("\(decision)")
      return
    }
  }

  @Test func `within an origin a handshake keeps its credentials in a location of ws`() throws {
    let headers: Headers = [.authorization: "Bearer a", .cookie: "a=b"]

    let kept = try followed(
      decide(307, to: "ws://a.example/z", headers: headers, opensSocket: true))
    let dropped = try followed(
      decide(307, to: "wss://a.example/z", headers: headers, opensSocket: true))

    #expect(kept.headers == headers)
    #expect(dropped.headers.isEmpty)
  }

  @Test(arguments: ["ws://a.example/z", "wss://a.example/z"])
  func `a load that opens no socket isn't redirected to one`(location: String) throws {
    guard case .refuse = try decide(302, to: location) else {
      Issue.record("a load follows \(location)")
      return
    }
  }

  @Test func `with the policy never, the redirect is the response`() throws {
    #expect(try decide(302, to: "/z", policy: .never) == .stop)
  }
}
