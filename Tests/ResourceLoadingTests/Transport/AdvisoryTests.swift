import Foundation
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// Published vulnerabilities of other clients, where no other test shows that this one isn't
/// affected.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct AdvisoryTests {
  /// The host to which a request for a text would be sent; `nil` if it is refused.
  private func host(_ text: String) -> String? {
    guard let url = URL(string: text), let wire = try? WireRequest(.init(url: url)) else {
      return nil
    }
    return URLComponents(url: wire.url, resolvingAgainstBaseURL: true)?.percentEncodedHost
  }

  // CVE-2016-8624, CVE-2022-27780: all parsers of the URL agree on the end of the host.
  @Test(arguments: [
    "http://example.org#@evil.example/", "http://example.org%2F@evil.example/",
    "http://example.org\\@evil.example/", "http://example.org%2f.evil.example/",
    "http://example.org%00.evil.example/", "http://evil.example%23@example.org/",
    "http://example.org:80@evil.example/", "http://example.org%0d%0aX:y/",
    "http://a b/", "http://example.org?@evil.example/",
  ])
  func `an ambiguous URL is refused or has one host`(_ text: String) throws {
    let parsed = URL(string: text)
    guard let host = host(text) else { return }

    #expect(host == "example.org" || host == "evil.example")
    // No part of it can be taken for a delimiter, and the sent host is the same.
    let wire = try WireRequest(.init(url: try #require(parsed)))
    #expect(wire.url.absoluteString.hasPrefix("http://\(host)"))
    #expect(wire.url.user() == nil && wire.url.fragment() == nil)
    #expect(!host.contains("%") && !host.contains("\\"))
  }

  // CVE-2021-33503: urllib3 took exponential time for many equal characters in a URL.
  @Test(arguments: ["@", "%", ":", "/", "[", "..", "%2e%2e/", "?", "#", "a@b:"])
  func `a long URL takes linear time`(_ unit: String) throws {
    let base = try #require(URL(string: "https://example.org/"))
    var times: [Double] = []
    for count in [20_000, 80_000] {
      let text = "//" + String(repeating: unit, count: count / unit.utf8.count)
      let best = (0..<3).map { _ in
        let start = Self.processorTime
        _ = URL(reference: text, from: base).map { $0.absoluteString.redactedURL }
        return Self.processorTime - start
      }.min()
      times.append(try #require(best))
    }

    #expect(times[1] < 12 * times[0] + 0.05, "\(times)")
  }

  // CVE-2022-30115, CVE-2022-42916, CVE-2022-43551: names that mean the same host.
  @Test(arguments: [
    "http://example.org./", "http://EXAMPLE.org/", "http://example\u{3002}org/",
    "http://ex%61mple.org/",
  ])
  func `a strict host is strict in every spelling`(_ text: String) throws {
    let strict = StrictTransportSecurity(preloaded: [.init(host: "example.org")])
    guard let url = URL(string: text), let wire = try? WireRequest(.init(url: url)) else { return }
    let host = wire.url.host()?.lowercased()
    guard host == "example.org" || host == "example.org." else { return }

    #expect(strict.upgraded(wire.url).scheme == "https", "\(wire.url)")
  }

  // CVE-2024-9681: the header of a subdomain applies to no other host.
  @Test func `a host below a strict one doesn't change the strict one`() throws {
    let strict = StrictTransportSecurity()
    let (above, below) = try (
      #require(URL(string: "https://example.org/")), #require(URL(string: "https://a.example.org/"))
    )
    strict.note(["Strict-Transport-Security": "max-age=1000; includeSubDomains"], from: above)
    strict.note(["Strict-Transport-Security": "max-age=0; includeSubDomains"], from: below)

    for text in ["http://example.org/", "http://a.example.org/", "http://b.example.org/"] {
      #expect(strict.upgraded(try #require(URL(string: text))).scheme == "https")
    }
  }

  // CVE-2023-46218, CVE-2022-27779: public suffixes in other spellings.
  @Test(arguments: ["co.UK", ".CO.uk", "co.uk.", "uk", "Co.Uk"])
  func `no spelling of a public suffix has a cookie`(_ domain: String) throws {
    let url = try #require(URL(string: "https://a.CO.UK/"))

    let cookie = Cookie("a=b; Domain=\(domain)", from: url, at: Date())

    #expect(cookie == nil || cookie?.includesSubdomains == false)
  }

  // CVE-2023-0833: OkHttp showed the value of a header that it refused.
  @Test(arguments: ["Authorization", "X-Plain"])
  func `the error of an invalid value doesn't show the value`(_ name: String) async throws {
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = StubTransport()
    }
    let request = Request.get("a").header(Headers.Name(rawValue: name), "swordfish\r\nX: y")

    let error = await #expect(throws: LoadError.self) { try await client.load(.void(request)) }

    #expect(error?.kind == .invalidRequest)
    let reason = [error?.reason, error?.advice].compactMap(\.self).joined()
    #expect(!reason.contains("swordfish"), "\(reason)")
    if name == "Authorization" { #expect(!"\(String(describing: error))".contains("swordfish")) }
  }

  #if Curl && os(Linux)
    // CVE-2023-23916: curl counted the codings of each field separately.
    @Test func `the codings of all fields count together`() throws {
      let url = try #require(URL(string: "https://example.org/"))
      let request = try WireRequest(.init(url: url))
      var head = ResponseHead(status: .ok)
      for _ in 0..<6 { head.headers.append(.contentEncoding, "gzip") }

      #expect(throws: LoadError.self) { try ContentDecoder(of: &head, for: request) }
    }

    // CVE-2019-16869, CVE-2020-7238: a space before the colon hid the framing from Netty.
    @Test(arguments: [
      "Transfer-Encoding : chunked\r\nContent-Length: 5",
      "Transfer-Encoding:\tchunked\r\nContent-Length: 5",
      "Content-Length: 5\r\nContent-Length : 6", "Transfer-Encoding: chunked\r\n ,gzip",
      "Transfer-Encoding : chunked", "Transfer-Encoding:\r\n chunked", "Content-Length\t: 5",
      "Content-Length:\r\n 5",
    ])
    func `unusual spellings of framing headers are recognized`(_ fields: String) {
      var reader = ResponseHeadReader()
      var failed = false
      for line in ("HTTP/1.1 200 OK\r\n" + fields + "\r\n\r\n").utf8.split(
        separator: 0x0A, omittingEmptySubsequences: false
      ).dropLast() {
        do {
          _ = try (Array(line) + [0x0A]).withUnsafeBytes { try reader.read($0) }
        } catch {
          failed = true
        }
      }

      #expect(failed)
    }

    // CVE-2026-21441: urllib3 decoded the body of a redirect that it followed, whatever its size.
    @Test func `a decompression bomb in the body of a redirect takes no memory`() async throws {
      let server = try LoopbackServer {
        LoopbackRoute("GET /a") { _ in
          [
            .bytes("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Encoding: gzip\r\n\r\n"),
            .bytes(Fault.gzip.prefix(10)), .repeatForever(Fault.bomb),
          ]
        }
        LoopbackRoute("GET /b", .response(body: "b"))
      }
      defer { server.stop() }
      let client = Client(baseURL: server.url()) { $0.transport = CurlTransport() }

      let outcome = await Result { try await client.load(.text(.get("/a"))) }

      switch outcome {
      case .success(let text): #expect(text == "b")
      case .failure(let error): #expect((error as? LoadError)?.kind == .tooLarge, "\(error)")
      }
    }
  #endif

  /// The processor time of this thread in seconds.
  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
