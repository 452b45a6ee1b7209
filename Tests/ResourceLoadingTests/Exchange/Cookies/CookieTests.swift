import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Cookies by RFC 6265.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct CookieTests {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func sent(_ cookies: [String], from: String, to: String) throws -> String? {
    let jar = CookieJar()
    let source = try #require(URL(string: from))
    for cookie in cookies { jar.store([.setCookie: cookie], from: source, at: Self.now) }
    return jar.header(for: try #require(URL(string: to)), at: Self.now)
  }

  // The examples of RFC 6265 section 3.1, and the rules of sections 5.1 to 5.4.
  @Test(
    arguments: [
      (
        "SID=31d4d96e407aad42", "https://example.com/", "https://example.com/x",
        "SID=31d4d96e407aad42"
      ),
      (
        "SID=31; Path=/; Domain=example.com", "https://www.example.com/", "https://a.example.com/",
        "SID=31"
      ),
      (
        "SID=31; Path=/; Domain=.example.com", "https://www.example.com/", "https://example.com/",
        "SID=31"
      ),
      ("SID=31", "https://example.com/", "https://www.example.com/", nil),
      ("SID=31; Domain=other.com", "https://example.com/", "https://example.com/", nil),
      ("SID=31; Domain=com", "https://example.com/", "https://example.com/", nil),
      ("SID=31; Domain=www.example.com", "https://example.com/", "https://www.example.com/", nil),
      ("SID=31; Domain=0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", nil),
      ("SID=31; Domain=127.0.0.1", "http://127.0.0.1/", "http://127.0.0.1/", "SID=31"),
      ("a=1; Path=/docs", "https://e.org/", "https://e.org/docs", "a=1"),
      ("a=1; Path=/docs", "https://e.org/", "https://e.org/docs/x", "a=1"),
      ("a=1; Path=/docs", "https://e.org/", "https://e.org/docsets", nil),
      ("a=1; Path=docs", "https://e.org/a/b", "https://e.org/a/c", "a=1"),
      ("a=1", "https://e.org/a/b", "https://e.org/b", nil),
      ("a=1; Secure", "https://e.org/", "http://e.org/", nil),
      ("a=1; Secure", "http://e.org/", "https://e.org/", nil),
      ("a=1; HttpOnly; SameSite=Lax; Unknown=x", "https://e.org/", "https://e.org/", "a=1"),
      ("a=1; Max-Age=10", "https://e.org/", "https://e.org/", "a=1"),
      ("a=1; Max-Age=0", "https://e.org/", "https://e.org/", nil),
      ("a=1; Max-Age=-5", "https://e.org/", "https://e.org/", nil),
      ("a=1; Max-Age=soon", "https://e.org/", "https://e.org/", "a=1"),
      ("a=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT", "https://e.org/", "https://e.org/", nil),
      ("a=1; Expires=Sun, 09-Jun-2069 10:18:14 GMT", "https://e.org/", "https://e.org/", "a=1"),
      ("a=1; Expires=Wed Jun  9 10:18:14 2032", "https://e.org/", "https://e.org/", "a=1"),
      (
        "a=1; Expires=Wed, 09 Jun 2021 10:18:14 GMT; Max-Age=60", "https://e.org/",
        "https://e.org/", "a=1"
      ),
      ("a=1; Expires=Wed, 31 Feb 2021 10:18:14 GMT", "https://e.org/", "https://e.org/", "a=1"),
      ("a=\"quoted\"", "https://e.org/", "https://e.org/", "a=\"quoted\""),
      ("a = b ; Path=/", "https://e.org/", "https://e.org/", "a=b"),
      ("a=b=c", "https://e.org/", "https://e.org/", "a=b=c"),
      ("=b", "https://e.org/", "https://e.org/", "b"),
      ("novalue", "https://e.org/", "https://e.org/", "novalue"),
      (" ; Path=/", "https://e.org/", "https://e.org/", nil),
      ("=", "https://e.org/", "https://e.org/", nil),
      ("a=b, c=d", "https://e.org/", "https://e.org/", "a=b, c=d"),
      (
        "a={\"b\":1,\"c\":\"d=e\"}", "https://e.org/", "https://e.org/", "a={\"b\":1,\"c\":\"d=e\"}"
      ),
      ("a=1; Domain=other.com; Domain=e.org", "https://e.org/", "https://e.org/", "a=1"),
      ("a=1; Domain=e.org; Domain=other.com", "https://e.org/", "https://e.org/", nil),
      (
        "a=1; Domain=xn--bcher-kva.de", "https://www.b\u{FC}cher.de/", "https://b\u{FC}cher.de/",
        "a=1"
      ),
      ("a=1", "https://b\u{FC}cher.de/", "https://xn--bcher-kva.de/", "a=1"),
      ("a=1; Domain=xn--55qx5d.cn", "https://a.公司.cn/", "https://a.公司.cn/", nil),
      ("__secure-a=1", "https://e.org/", "https://e.org/", nil),
      ("__HOST-a=1; Secure; Path=/x", "https://e.org/x", "https://e.org/x", nil),
      ("=__Secure-a=1; Secure", "https://e.org/", "https://e.org/", nil),
      ("__Host-a; Secure; Path=/", "https://e.org/", "https://e.org/", nil),
      ("__Secure-a=1", "https://e.org/", "https://e.org/", nil),
      ("__Secure-a=1; Secure", "https://e.org/", "https://e.org/", "__Secure-a=1"),
      ("__Host-a=1; Secure; Path=/", "https://e.org/", "https://e.org/", "__Host-a=1"),
      ("__Host-a=1; Secure; Path=/; Domain=e.org", "https://e.org/", "https://e.org/", nil),
      ("__Host-a=1; Secure", "https://e.org/", "https://e.org/", nil),
      ("__Http-a=1; Secure; HttpOnly", "https://e.org/", "https://e.org/", "__Http-a=1"),
      ("__HTTP-a=1; Secure", "https://e.org/", "https://e.org/", nil),
      ("__Http-a=1; HttpOnly", "https://e.org/", "https://e.org/", nil),
      ("=__Http-a=1; Secure; HttpOnly", "https://e.org/", "https://e.org/", nil),
      (
        "__Host-Http-a=1; Secure; HttpOnly; Path=/", "https://e.org/", "https://e.org/",
        "__Host-Http-a=1"
      ),
      // The Kelvin sign equals a K as a string, but not on the wire.
      ("a=1; Path=/\u{212A}", "https://e.org/", "https://e.org/K", nil),
      ("a=1; Path=/k", "https://e.org/", "https://e.org/k/x", "a=1"),
      ("a=1; Path=/k", "https://e.org/", "https://e.org/kx", nil),
      ("__Host-Http-a=1; Secure; Path=/", "https://e.org/", "https://e.org/", nil),
      ("__Host-Http-a=1; Secure; HttpOnly; Path=/x", "https://e.org/x", "https://e.org/x", nil),
    ] as [(String, String, String, String?)])
  func `a cookie is sent to its hosts and paths only`(
    _ cookie: String, _ from: String, _ to: String, _ header: String?
  ) throws {
    #expect(try sent([cookie], from: from, to: to) == header)
  }

  @Test func `longer paths come first, then older cookies`() throws {
    let header = try sent(
      ["a=1; Path=/", "b=2; Path=/x", "c=3; Path=/"], from: "https://e.org/x/y",
      to: "https://e.org/x/z")

    #expect(header == "b=2; a=1; c=3")
  }

  @Test func `a cookie replaces one with the same name, and an expired one removes it`()
    throws
  {
    #expect(
      try sent(["a=1", "b=2", "a=3"], from: "https://e.org/", to: "https://e.org/") == "a=3; b=2")
    #expect(
      try sent(["a=1", "a=; Max-Age=0"], from: "https://e.org/", to: "https://e.org/") == nil)
  }

  @Test func `a cookie by http neither replaces nor shadows one for https only`() throws {
    let jar = CookieJar()
    let safe = try #require(URL(string: "https://www.e.org/x/y"))
    let plain = try #require(URL(string: "http://www.e.org/x/y"))
    jar.store([.setCookie: "a=1; Secure; Path=/x"], from: safe, at: Self.now)

    for evil in ["a=2; Path=/x", "a=2; Path=/x/y", "a=2; Path=/x; Domain=e.org", "a=; Max-Age=0"] {
      jar.store([.setCookie: evil], from: plain, at: Self.now)
    }
    jar.store([.setCookie: "a=3; Path=/"], from: plain, at: Self.now)

    #expect(jar.header(for: safe, at: Self.now) == "a=1; a=3")
    #expect(jar.header(for: plain, at: Self.now) == "a=3")
  }

  @Test func `a host below can't replace a cookie that is for one host alone`() throws {
    let jar = CookieJar()
    let (own, below) = (try #require(URL(string: "https://e.org/")), "https://evil.e.org/")
    jar.store([.setCookie: "sid=good"], from: own, at: Self.now)

    for cookie in ["sid=evil; Domain=e.org; Path=/", "sid=; Domain=e.org; Path=/; Max-Age=0"] {
      jar.store([.setCookie: cookie], from: try #require(URL(string: below)), at: Self.now)
    }

    #expect(jar.header(for: own, at: Self.now) == "sid=good")
  }

  @Test(arguments: ["Expires=Fri, 31 Dec 9999 23:59:59 GMT", "Max-Age=99999999999999999999"])
  func `no cookie lasts longer than 400 days`(_ attribute: String) throws {
    let jar = CookieJar()

    jar.store(
      [.setCookie: "a=1; \(attribute)"], from: try #require(URL(string: "https://e.org/")),
      at: Self.now)

    #expect(jar.cookies.first?.expiration == Self.now.addingTimeInterval(400 * 86_400))
  }

  @Test(
    arguments: [
      ("Mon, 10-Dec-2007 17:30:12 GMT GMT", 1_197_307_812), ("10 Dec 07 17:30:12", 1_197_307_812),
      ("2007 10 dec 17:30:12.5", 1_197_307_812), ("17:30:12:99 10th DECEMBER 2007", 1_197_307_812),
      ("1:2:3 1 Jan 70", 3_723), ("123:00:00 1:2:3 1 Jan 70", nil),
      ("24:00:00 1 Jan 1970", nil), ("1:2:60 1 Jan 1970", nil), ("1:2 1 Jan 1970", nil),
      ("1:2:3 32 Jan 1970", nil), ("1:2:3 1 Jan 1600", nil), ("1:2:3 1 Jan 202 1970", nil),
      ("1:2:3 31 Feb 1970", nil), ("1:2:3\u{e9}1 Jan 1970", nil), ("1::2:3 1 Jan 1970", nil),
    ] as [(String, Int?)])
  func `the date of a cookie is read token by token`(_ text: String, _ seconds: Int?) throws {
    let url = try #require(URL(string: "https://e.org/"))
    let jar = CookieJar()

    let before = Date(timeIntervalSince1970: Double(seconds ?? 0) - 60)
    jar.store([.setCookie: "a=1; Expires=\(text)"], from: url, at: before)

    #expect(jar.cookies.map { $0.expiration?.timeIntervalSince1970 } == [seconds.map(Double.init)])
  }

  @Test(arguments: Engine.allCases)
  func `several cookies of one response are kept, even with commas in them`(_ engine: Engine)
    async throws
  {
    let server = try LoopbackServer {
      LoopbackRoute("*") { _ in
        .response(headers: [
          "Set-Cookie": "a=1; Expires=Wed, 09 Jun 2032 10:18:14 GMT; Path=/",
          "Set-Cookie": "b={\"x\":1,\"y\":\"=\"}", "Set-Cookie": "c=x,y; Path=/",
        ])
      }
    }
    defer { server.stop() }
    let jar = CookieJar()

    try await Client(engine, baseURL: server.url()) { $0.cookies = jar }.load(.void(.get("/")))

    #expect(
      Set(jar.cookies.map { "\($0.name)=\($0.value)" })
        == ["a=1", "b={\"x\":1,\"y\":\"=\"}", "c=x,y"])
  }

  @Test func `the number of cookies in the jar is limited`() throws {
    let header = try sent(
      (1...70).map { "n\($0)=1" }, from: "https://e.org/", to: "https://e.org/")

    #expect(header?.split(separator: ";").count == CookieJar.maximumCountPerDomain)
    #expect(header?.hasPrefix("n21=1; ") == true)
  }

  @Test(arguments: Engine.allCases)
  func `a client stores cookies, including those of redirects`(_ engine: Engine) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /login") { _ in
        .response(status: 302, headers: ["Location": "/home", "Set-Cookie": "sid=7; Path=/"])
      }
      LoopbackRoute("GET /home") { _ in .response(body: "ok") }
    }
    defer { server.stop() }
    let client = Client(engine, baseURL: server.url()) { $0.cookies = CookieJar() }

    try await client.load(.void(.get("/login")))
    try await client.load(.void(Request(.get, "/home", headers: [.cookie: "own=1"])))
    try await Client(engine, baseURL: server.url()).load(.void(.get("/home")))

    #expect(server.requests.map { $0.header("Cookie") } == [nil, "sid=7", "own=1", nil])
  }

  @Test func `a domain may begin with a dot, as in the files of browsers`() throws {
    let jar = CookieJar()
    jar.insert(Cookie(name: "a", value: "1", domain: ".Example.org", includesSubdomains: true))
    jar.insert(Cookie(name: "b", value: "2", domain: ".example.org"))

    let (host, below) = try (
      #require(URL(string: "https://example.org/")), #require(URL(string: "https://x.example.org/"))
    )

    #expect(jar.header(for: host, at: Self.now) == "a=1; b=2")
    #expect(jar.header(for: below, at: Self.now) == "a=1")
  }
}
