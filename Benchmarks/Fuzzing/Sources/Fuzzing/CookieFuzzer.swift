import Foundation
import Trials

@testable import ResourceLoading
@testable import ResourcePrimitives

/// `Set-Cookie`, one a line.
struct CookieFuzzer: Fuzzer {
  let bounds = Bounds()

  private static let urls = [
    "https://example.co.uk/a/b", "http://a.b.example.com/", "http://localhost:80/x/",
    "https://127.0.0.1/", "http://[::1]/", "https://octocat.github.io/",
    "https://xn--bcher-kva.example/",
    "https://example.com./", "http://EXAMPLE.com/%2e/",
  ].compactMap(URL.init(string:))

  private static let date = Date(timeIntervalSince1970: 1_700_000_000)

  func run(_ choices: Choices, _ payload: [UInt8]) {
    var choices = choices
    let url = choices.pick(Self.urls)
    let jar = CookieJar()
    var headers = Headers()
    for line in payload.split(separator: 0x0A) {
      let text = String(decoding: line, as: UTF8.self)
      headers.append(.setCookie, text)
      if let cookie = Cookie(text, from: url, at: Self.date) { check(cookie, of: url) }
      _ = CookieDate.date(text)
      if headers.count >= 200 { break }
    }
    jar.store(headers, from: url, at: Self.date)
    let other = choices.pick(Self.urls)
    jar.store(headers, from: other, at: Self.date)
    claim(jar.cookies.count <= 2 * CookieJar.maximumCountPerResponse, "too many cookies")

    for url in Self.urls { check(jar.header(for: url, at: Self.date), jar, for: url) }
  }

  /// What holds of every cookie that a URL may set (RFC 6265 section 5.3, and its successor).
  private func check(_ cookie: Cookie, of url: URL) {
    guard let host = url.plainHost else { return claim(false, "a cookie of no host") }
    claim(
      host == cookie.domain || host.hasSuffix("." + cookie.domain), "a cookie for others: \(cookie)"
    )
    claim(
      !cookie.includesSubdomains || !PublicSuffixes.contains(cookie.domain),
      "a cookie for a public suffix: \(cookie)")
    // By bytes: with an accent behind it, the slash is another character.
    claim(cookie.path.utf8.first == UInt8(ascii: "/"), "no path: \(cookie)")
    claim(cookie.name.utf8.count + cookie.value.utf8.count <= 4096, "a large cookie")
    claim(!cookie.isSecure || url.scheme == "https", "Secure by http")
    let start = (cookie.name.isEmpty ? cookie.value : cookie.name).lowercased()
    claim(!start.hasPrefix("__secure-") || cookie.isSecure, "__Secure- without Secure")
    claim(
      !start.hasPrefix("__host-")
        || cookie.isSecure && !cookie.includesSubdomains && cookie.path == "/",
      "__Host- for others")
    let shown = "\(cookie) \(String(reflecting: cookie))"
    claim(!shown.unicodeScalars.contains(where: \.isUnprintable), "a control character")
    claim(
      Cookie(written(cookie), from: url, at: Self.date) == cookie,
      "not read again: \(written(cookie))")
  }

  private func written(_ cookie: Cookie) -> String {
    var text = "\(cookie.name)=\(cookie.value); Path=\(cookie.path)"
    if cookie.includesSubdomains { text += "; Domain=\(cookie.domain)" }
    if cookie.isSecure { text += "; Secure" }
    if let expiration = cookie.expiration {
      // Max-Age goes no further, and into no past but the first.
      let seconds = expiration.timeIntervalSince(Self.date)
      text +=
        expiration == .distantPast
        ? "; Max-Age=0"
        : (1...400 * 86_400).contains(seconds)
          ? "; Max-Age=\(Int(seconds))" : "; Expires=\(HTTPDate(expiration))"
    }
    return text
  }

  private func check(_ header: String?, _ jar: CookieJar, for url: URL) {
    guard let header else { return }
    claim(header.utf8.count <= CookieJar.maximumPerRequest.bytes, "a large header")
    claim(!header.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F }, "a control character")
    let sent = jar.cookies.filter { $0.domain == url.plainHost || $0.includesSubdomains }
    claim(!sent.isEmpty, "a header of nothing")
    claim(url.scheme == "https" || !sent.allSatisfy(\.isSecure), "Secure cookies by http")
    do {
      _ = try WireRequest(.init(url: url, headers: [.cookie: header]))
    } catch { claim(false, "the header can't be sent: \(error)") }
  }
}
