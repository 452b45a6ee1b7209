import Foundation
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// What a site can't do to other sites or to the jar.
@Suite(.timeLimit(.minutes(10)))
struct CookieLimitTests {
  private static let now = Date(timeIntervalSince1970: 1_700_000_000)

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test(arguments: [
    ("com", true), ("co.uk", true), ("github.io", true), ("s3.amazonaws.com", true),
    ("blogspot.com", true),
    ("a.co.uk", false), ("example.com", false), ("uk", true), ("ck", true), ("anything.ck", true),
    ("www.ck", false), ("a.www.ck", false), ("kawasaki.jp", true), ("x.kawasaki.jp", true),
    ("city.kawasaki.jp", false), ("unknown-domain-of-the-top", true), ("xn--fiqs8s", true),
    ("xn--55qx5d.cn", true), ("a.xn--55qx5d.cn", false), ("zw", true),
    ("compute.amazonaws.com", true),
    ("x.compute.amazonaws.com", true), ("io", true), ("", true),
  ])
  func `public suffixes are recognized`(_ domain: String, _ isOne: Bool) {
    #expect(PublicSuffixes.contains(domain) == isOne)
  }

  @Test func `each rule of the list is found`() {
    for rule in PublicSuffixes.list.split(whereSeparator: \.isWhitespace) {
      switch rule.first {
      case "!": #expect(!PublicSuffixes.contains(String(rule.dropFirst())))
      case "*": #expect(PublicSuffixes.contains("x" + rule.dropFirst()))
      default: #expect(PublicSuffixes.contains(String(rule)))
      }
    }
  }

  @Test(arguments: [
    ("https://evil.co.uk/", "co.uk", "https://bank.co.uk/"),
    ("https://evil.github.io/", "github.io", "https://other.github.io/"),
    ("https://evil.com./", "com.", "https://bank.com./"),
    ("https://evil.com/", "com.", "https://bank.com/"),
    ("https://a.example.com/", "example.com.", "https://b.example.com/"),
    ("https://b\u{FC}cher.example/", "b\u{FC}cher.example", "https://x.b\u{FC}cher.example/"),
    ("https://github.io/", "github.io", "https://other.github.io/"),
  ])
  func `no cookie reaches other hosts below a public suffix`(
    _ from: String, _ domain: String, _ to: String
  ) throws {
    let jar = CookieJar()

    jar.store([.setCookie: "a=1; Domain=\(domain)"], from: try url(from), at: Self.now)

    #expect(jar.header(for: try url(to), at: Self.now) == nil)
  }

  @Test func `a trailing dot doesn't change the host`() throws {
    let jar = CookieJar()

    jar.store([.setCookie: "a=1; Domain=e.org"], from: try url("https://www.e.org./"), at: Self.now)

    #expect(jar.header(for: try url("https://e.org./"), at: Self.now) == "a=1")
    #expect(jar.header(for: try url("https://x.e.org/"), at: Self.now) == "a=1")
  }

  @Test func `a header has at most 8 KB and 150 cookies`() throws {
    let jar = CookieJar()
    let large = String(repeating: "x", count: 4000)
    for index in 0..<180 {
      jar.insert(Cookie(name: "n\(index)", value: large, domain: "a\(index / 40).e.org"))
      jar.insert(
        Cookie(name: "s", value: "1", domain: "e.org", includesSubdomains: true, path: "/\(index)"))
    }
    for index in 0..<200 { jar.insert(Cookie(name: "m\(index)", value: "1", domain: "f.org")) }

    let header = jar.header(for: try url("https://a0.e.org/"), at: Self.now)

    #expect(try #require(header).utf8.count <= 8190)
    #expect(jar.cookies.count { $0.domain == "f.org" } == CookieJar.maximumCountPerDomain)
  }

  @Test func `a flood over http displaces no cookie that is for https only`() throws {
    let jar = CookieJar()
    jar.store([.setCookie: "sid=1; Secure"], from: try url("https://e.org/"), at: Self.now)
    jar.store([.setCookie: "old=1"], from: try url("https://e.org/"), at: Self.now)

    for index in 0..<500 {
      jar.store([.setCookie: "n\(index)=1"], from: try url("http://e.org/"), at: Self.now)
    }
    for index in 0..<4000 {
      jar.store([.setCookie: "n=1"], from: try url("http://h\(index).net/"), at: Self.now)
    }

    #expect(jar.cookies.contains { $0.name == "sid" })
    #expect(!jar.cookies.contains { $0.name == "old" })
    #expect(jar.cookies.count == CookieJar.maximumCount)
  }

  @Test func `the number of cookies of one response is limited`() throws {
    let jar = CookieJar()
    var headers = Headers()
    for index in 0..<20_000 { headers.append(.setCookie, "n\(index)=1") }

    jar.store(headers, from: try url("https://e.org/"), at: Self.now)

    #expect(jar.cookies.count == CookieJar.maximumCountPerResponse)
  }

  @Test func `any Set-Cookie is read or ignored, and a cookie is within the limits`() throws {
    var generator = SeededGenerator(seed: 12)
    let pieces = [
      "a", "=", ";", " ", "Domain=", "Path=/", "Secure", "Max-Age=", "9", "-", ".", "e.org",
      "Expires=", "\t", "\"",
      "__Host-", ",", "10 Dec 07 17:30:12", "com", "\u{1}", "ü",
      String(repeating: "x", count: 2000),
    ]
    let url = try url("https://www.e.org/")
    for count in 0..<3000 {
      let text = (0..<count % 14).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &generator)]
      }.joined()
      guard let cookie = Cookie(text, from: url, at: Self.now) else { continue }
      #expect(cookie.name.utf8.count + cookie.value.utf8.count <= 4096)
      #expect(["www.e.org", "e.org"].contains(cookie.domain) && cookie.path.hasPrefix("/"))
      #expect(
        !(cookie.name + cookie.value).unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" })
    }
  }
}
