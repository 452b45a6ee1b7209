import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

/// Secrets that have names in a request's body and that a server repeats without the names.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct BodySecretTests {
  private struct Login: Encodable {
    let user = "ada"
    let password = "hunter2-\"quoted\" é"
  }

  static let bodies: [(body: Request.Body, secret: String)] = [
    (.json(Login()), "hunter2-\"quoted\" é"),
    (.form(["user": "ada", "password": "swordfish & chips"]), "swordfish & chips"),
    (.multipart([.field("user", "ada"), .field("password", "swordfish-3")]), "swordfish-3"),
    (.text("grant_type=x&client_secret=abc+def%2Fghi"), "abc def/ghi"),
  ]

  @Test(arguments: bodies)
  func `a secret of the body is replaced where the server repeats it`(
    _ row: (body: Request.Body, secret: String)
  ) async throws {
    let transport = StubTransport()
    transport.stub(
      "*",
      .response(
        status: 400, headers: [.contentType: "text/plain"],
        body: Data("I don't like \(row.secret) at all".utf8)))
    let client = Client(baseURL: URL(string: "https://api.example.org")) {
      $0.transport = transport
    }

    let error = await #expect(throws: LoadError.self) {
      try await client.load(.void(Request(.post, "/login", body: row.body)))
    }

    let body = error?.response.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(body == "I don't like <redacted> at all")
    var dumped = ""
    dump(error, to: &dumped)
    let shown = "\(String(describing: error))\(dumped)"
    #expect(!shown.contains(row.secret.prefix(7)))
  }
}
