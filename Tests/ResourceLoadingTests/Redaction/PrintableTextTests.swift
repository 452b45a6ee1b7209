import Foundation
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// No text of a server controls a terminal or forges a line of a log.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct PrintableTextTests {
  private static let evil =
    "\u{1B}]0;x\u{7}\r\n#9 forged\u{202E}\u{2028}\u{85}\u{E0041}\u{9B}2J\u{200F}"

  @Test(arguments: [
    ("plain text", "plain text"), ("ü€🙂", "ü€🙂"), ("a\nb\r\tc", "a\\nb\\r\\tc"),
    ("\u{1B}[2J", "\\u{1B}[2J"),
    ("\u{202E}\u{2066}", "\\u{202E}\\u{2066}"), ("\u{85}\u{2028}", "\\u{85}\\u{2028}"), ("", ""),
  ])
  func `control characters are shown as escapes`(_ text: String, _ printable: String) {
    #expect(text.printable == printable)
  }

  @Test func `no description or log entry has a control character`() async throws {
    let service = StubbedService()
    let message = try String(decoding: JSONEncoder().encode(["message": Self.evil]), as: UTF8.self)
    service.transport.stub(
      "/json",
      .response(status: 400, headers: [.contentType: "a/b\u{1B}x"], body: Data(message.utf8)))
    service.transport.stub("/text", .response(status: 400, body: Data(Self.evil.utf8)))
    service.transport.stub(
      "/redirect", .response(status: 302, headers: [.location: "ftp:\(Self.evil)"]))
    service.transport.stub("/fail", .error(LoadError(.connection, Self.evil, advice: Self.evil)))
    let log = EntryLog()
    let client = try service.client(LoggingMiddleware(.bodies, to: log.append))

    for path: RequestPath in ["/json", "/text", "/redirect", "/fail"] {
      let request = Request(.post, path, body: .form(["a": Self.evil]))
      let error = await #expect(throws: LoadError.self) {
        _ = try await client.load(Resource<[Int]>(json: request))
      }
      let texts = [
        error?.description, error?.errorDescription, error?.curlCommand, request.curlCommand,
      ]
      for text in texts + log.entries {
        for line in (text ?? "").split(separator: "\n") {
          let steers = line.unicodeScalars.contains { $0.isUnprintable }
          #expect(!steers, "\(line.debugDescription)")
          #expect(!line.hasPrefix("#9"))
        }
      }
    }
    #expect(log.entries.count == 8)
  }

  @Test func `no printed value shows its secrets`() throws {
    let url = try #require(URL(string: "https://swordfish-u:swordfish-p@h/?token=swordfish-q"))
    let request = Request(
      .post, url: url, headers: [.cookie: "a=swordfish", "X-Tenant": "swordfish"],
      body: .json(["password": "swordfish"])
    ).changed { $0.options.secretNames = ["x-tenant"] }
    let headers: Headers = [
      .setCookie: "a=swordfish", "X-Functions-Key": "swordfish", .accept: "a/b",
    ]
    var values: [Any] = [
      request, headers, BasicAuthentication(user: "swordfish", password: "swordfish"),
      BearerToken("swordfish"), try WireRequest(Request(url: url)),
      Cookie(name: "a", value: "swordfish", domain: "h"), headers[0],
      Response(url: url, headers: headers),
      CookieJar([Cookie(name: "a", value: "swordfish", domain: "h")]),
    ]
    let file = URL(filePath: "/c.pem")
    var tls = TLSOptions()
    tls.clientCertificate = .init(
      certificate: .file(file), privateKey: .file(file), passphrase: "swordfish")
    values += [tls, ProxyServer(url: url)] as [Any]
    tls.clientCertificate = .init(pkcs12: Data("swordfish".utf8), passphrase: "swordfish")
    values.append(tls)

    for value in values {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.contains("swordfish"), "\(type(of: value)): \(text)")
      }
    }
  }
}
