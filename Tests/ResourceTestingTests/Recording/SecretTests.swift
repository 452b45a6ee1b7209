import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Secrets must not be in any file.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct SecretTests {
  private let folder: TemporaryFolder
  private let stub = StubTransport()

  init() throws { folder = try TemporaryFolder() }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  /// Sends requests over the stub, and returns the text of the recording.
  private func record(
    _ redaction: RecordingRedaction = RecordingRedaction(),
    _ loads: (Client) async throws -> Void
  ) async throws -> String {
    let recorder = RecordingTransport(to: folder.file(), over: stub, redaction: redaction)
    let client = Client { $0.transport = recorder }
    try await loads(client)
    try await recorder.save()
    return try String(contentsOf: folder.file(), encoding: .utf8)
  }

  /// Secrets. None is a substring of another one or of anything else in the test.
  private enum Planted {
    static let bearer = "tok-b8f1c2aa90e44d"
    static let password = "correct-h0rse battery"
    static let cookie = "sess-51fd77ab0c"
    static let newCookie = "sess-9e02c6d1f4"
    static let query = "qk-77d0aa13b2"
    static let form = "form secret+1%"
    static let member = "json-\"quoted\"/secret"
    static let nested = "nested-33aa90ff"
    static let number = "8812731945"
    static let part = "part-5502aaff11"
    static let issued = "acc-0f9d8e7c6b5a"
    static let refresh = "ref-11a0b3c2d9"
    static let location = "loc-4f4f1d1dab"
    static let userInfo = "ui-pass-8a7b6c"
    static let header = "key-2b2b7f7f1a"
    static let own = "Aurora Borealis Ltd"
    static let xml = "xml-71ab90cd55"

    static let all = [
      bearer, password, cookie, newCookie, query, form, member, nested, number, part, issued,
      refresh, location, userInfo, header, own, xml,
    ]

    /// The forms that a secret may have in a file.
    static func forms(of secret: String) -> [String] {
      let json = secret.replacing("\"", with: "\\\"")
      var unreserved = CharacterSet.alphanumerics
      unreserved.insert(charactersIn: "-._~")
      let escaped = secret.addingPercentEncoding(withAllowedCharacters: unreserved) ?? secret
      return [
        secret, json, json.replacing("/", with: "\\/"), json.replacing("\\\"", with: "\\\\\\\""),
        escaped,
        escaped.replacing("%20", with: "+"), Data(secret.utf8).base64EncodedString(),
      ]
    }
  }

  @Test func `none of the planted secrets is in the file`() async throws {
    stub.stub(
      "POST /token",
      .json(
        """
        {"access_token": "\(Planted.issued)", "expires_in": 3600,
         "session": {"id": 12, "data": ["\(Planted.nested)", \(Planted.number), true, null]}}
        """))
    stub.stub(
      "GET /start",
      .response(
        status: 302,
        headers: [
          .location: "https://me:\(Planted.userInfo)@api.example.org/end?code=\(Planted.location)",
          .setCookie: "sid=\(Planted.newCookie); Path=/; HttpOnly",
          "X-Echo": "you sent \(Planted.bearer) and \(Planted.cookie)",
        ]))
    stub.stub(
      "GET /end",
      .response(
        headers: [.contentType: "text/xml"],
        body: Data(
          """
          <a><token>\(Planted.xml)</token><b>hello \(Planted.password), your key was \(Planted.header)</b></a>
          """.utf8)))
    stub.stub("*", .response(status: 200, body: Data("for \(Planted.own): \(Planted.issued)".utf8)))
    stub.stub(
      "GET /broken",
      .error(
        LoadError(
          .connection, "https://x.example/?token=\(Planted.refresh) failed for \(Planted.issued)")))
    var redaction = RecordingRedaction()
    redaction.secrets = [Planted.own]
    redaction.secretNames = ["visitor"]

    let text = try await record(redaction) { client in
      let base = "https://api.example.org"
      // The response echoes a secret before it is known.
      try await client.load(.void(url("\(base)/early?page=1")))
      try await client.load(
        .void(Request.post(url("\(base)/token")).form(["client_secret": Planted.form, "a": "1"])))
      let credential = Data("alice:\(Planted.password)".utf8).base64EncodedString()
      var start = Request(url: try url("\(base)/start?api_key=\(Planted.query)&page=2"))
      start.headers = [
        .authorization: "Basic \(credential)", .cookie: "sid=\(Planted.cookie); theme=dark-blue",
        "X-Api-Key": Planted.header,
      ]
      try await client.load(.void(start))
      var json = Request.post(try url("\(base)/json")).json([
        "password": Planted.member, "list": ["a", "b"],
      ])
      json.headers[.authorization] = "Bearer \(Planted.bearer)"
      try await client.load(.void(json))
      let parts: Multipart = [
        .field("password", Planted.part), .field("visitor", "guest-7761ab"),
        .data("file", Data([0, 1, 2]), filename: "a.bin"), .field("note", "no secret"),
      ]
      try await client.load(.void(Request.post(url("\(base)/parts")).multipart(parts)))
      _ = try? await client.load(.void(url("\(base)/broken")))
    }

    let entries = try HTTPArchive(data: Data(text.utf8)).entries
    let bodies = entries.flatMap { [$0.request.body, $0.response.body] }.compactMap { $0?.data }
    let whole = text + bodies.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    for secret in Planted.all + ["guest-7761ab", "dark-blue"] {
      for form in Planted.forms(of: secret) {
        #expect(!whole.contains(form), "\(form) is in the file")
      }
    }
    #expect(entries.count == 7)
    for kept in [
      "no secret", "page=2", "theme=redacted-", "HttpOnly", "expires_in", "3600", "alice",
    ] {
      // The user's name is only in the credential.
      #expect(whole.contains(kept) == (kept != "alice"), "\(kept)")
    }
  }

  @Test func `the base64 of a credential isn't in the file either`() async throws {
    stub.stub("*", .status(.ok))
    let credential = Data("alice:open sesame 1".utf8).base64EncodedString()

    let text = try await record { client in
      try await client.load(.void(url("https://alice:open%20sesame%201@a.example/")))
      try await client.load(
        .void(Request.post(url("https://a.example/")).body(.text("I am \(credential)"))))
    }

    #expect(!text.contains(credential))
    #expect(!text.contains("sesame"))
    #expect(text.contains("Basic redacted-"))
  }

  @Test func `one secret has one stand-in everywhere`() async throws {
    stub.stub("POST /token", .json(#"{"access_token": "tok-77aa11bb22cc33"}"#))
    stub.stub("*", .status(.ok))

    let text = try await record { client in
      try await client.load(.void(Request.post(url("https://a.example/token"))))
      var request = Request(url: try url("https://a.example/?token=tok-77aa11bb22cc33"))
      request.headers[.authorization] = "Bearer tok-77aa11bb22cc33"
      try await client.load(.void(request))
      try await client.load(.void(url("https://a.example/?token=another-9911")))
    }

    let entries = try HTTPArchive(data: Data(text.utf8)).entries
    #expect(entries[0].response.body?.data == Data(#"{"access_token": "redacted-1"}"#.utf8))
    #expect(entries[1].request.url == "https://a.example/?token=redacted-1")
    #expect(entries[1].request.headers[.authorization] == "Bearer redacted-1")
    #expect(entries[2].request.url == "https://a.example/?token=redacted-2")
  }

  @Test func `a redacted body can still be decoded`() async throws {
    struct Login: Decodable, Equatable {
      struct Session: Decodable, Equatable {
        let id: Int
        let roles: [String]
        let isNew: Bool
        let until: Double
        let name: String?
      }
      let token: String
      let pin: Int
      let session: Session
    }
    stub.stub(
      "*",
      .json(
        #"{"token": "a\"b\\c-123456", "pin": 4711, "session": {"id": 7, "roles": ["a", "b"], "isNew": true, "until": 1.5, "name": null}}"#
      ))

    let text = try await record { client in
      try await client.load(.void(url("https://a.example/")))
    }
    let body = try #require(try HTTPArchive(data: Data(text.utf8)).entries[0].response.body)
    let login = try JSONDecoder().decode(Login.self, from: body.data)

    #expect(login.token == "redacted-1")
    #expect(login.pin > 900_000_000)
    #expect(login.session.roles.allSatisfy { $0.hasPrefix("redacted-") })
    #expect(login.session.isNew)
    #expect(login.session.name == nil)
  }

  @Test func `the caller's rules add to the library's`() async throws {
    stub.stub("*", .json(#"{"code": "not_found", "patient": "Jo Doe"}"#))
    var redaction = RecordingRedaction()
    redaction.publicNames = ["code"]
    redaction.secretNames = ["patient"]
    redaction.change = { entry in
      var entry = entry
      entry.comment = "changed"
      return entry.request.url.hasSuffix("/leave-out") ? nil : entry
    }

    let text = try await record(redaction) { client in
      try await client.load(.void(url("https://a.example/")))
      try await client.load(.void(url("https://a.example/leave-out")))
    }

    let entries = try HTTPArchive(data: Data(text.utf8)).entries
    #expect(entries.map(\.comment) == ["changed"])
    #expect(
      entries[0].response.body?.data
        == Data(#"{"code": "not_found", "patient": "redacted-1"}"#.utf8))
  }

  @Test func `a plain word is a secret only under its name, unless it was sent`() async throws {
    stub.stub(
      "*",
      .response(
        headers: [.setCookie: "consent=accepted"],
        body: Data(#"{"key": "summary", "summary": "accepted", "note": "sesame"}"#.utf8)))

    let text = try await record { client in
      try await client.load(
        .void(Request.post(url("https://a.example/")).form(["password": "sesame"])))
    }

    let response = try #require(try HTTPArchive(data: Data(text.utf8)).entries.first?.response)
    #expect(response.headers[.setCookie] == "consent=redacted-2")
    #expect(
      response.body?.data
        == Data(#"{"key": "redacted-3", "summary": "accepted", "note": "redacted-1"}"#.utf8))
  }

  @Test func `a word that was sent doesn't make a member's name secret`() async throws {
    stub.stub("*", .json(#"{"created": "by hand", "order": "created"}"#))

    let text = try await record { client in
      try await client.load(.void(url("https://a.example/?key=created")))
    }

    let body = try HTTPArchive(data: Data(text.utf8)).entries.first?.response.body?.data
    #expect(body == Data(#"{"created": "by hand", "order": "redacted-1"}"#.utf8))
  }

  @Test func `an archive of another program can be redacted, too`() throws {
    let entry = HTTPArchive.Entry(
      request: .init(
        "GET", url: "https://a.example/?token=abc-123-def", headers: [.cookie: "a=b1c2d3"]),
      response: .init(status: 200, body: .init(Data("abc-123-def b1c2d3".utf8))))

    let redacted = HTTPArchive([entry]).redacted()

    #expect(redacted.entries[0].request.url == "https://a.example/?token=redacted-1")
    #expect(redacted.entries[0].request.headers[.cookie] == "a=redacted-2")
    #expect(redacted.entries[0].response.body?.data == Data("redacted-1 redacted-2".utf8))
  }
}
