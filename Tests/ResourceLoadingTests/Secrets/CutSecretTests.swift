import Foundation
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// Secrets of which an error's text has only a part, or another form.
@Suite(.timeLimit(.minutes(10)))
struct CutSecretTests {
  private func explained(
    _ error: LoadError, _ request: Request, _ response: Response? = nil
  ) throws -> LoadError {
    var evidence = ErrorContext(request)
    if let response { evidence.receive(response) }
    return try #require(evidence.explain(error) as? LoadError)
  }

  private func request(_ secret: String) throws -> Request {
    Request.get(try #require(URL(string: "https://example.org/")))
      .header(.authorization, "Bearer \(secret)")
  }

  // The secret after the name ends within the known secret, and vice versa.
  @Test(arguments: [
    "password=Sw0rd;f1sh&Xyz,zy!", "x password=a&Sw0rd;f1sh&Xyz,zy",
    "{\"token\":\"Sw0rd;f1sh&Xyz,zy\"}",
    "token: Sw0rd;f1sh&Xyz,zy;rest", "sig=Sw0rd;f1sh&Xyz,zy&b=1", "https://Sw0rd;f1sh&Xyz,zy@b/",
  ])
  func `no part of a secret remains if it is cut`(_ text: String) throws {
    let request = try request("Sw0rd;f1sh&Xyz,zy")
    let response = Response(url: request.url, body: Data(text.utf8))

    let error = try explained(LoadError(.connection, text), request, response)

    for text in [error.reason, error.description, "\(error.response?.body.text ?? "")"] {
      for part in ["Sw0rd", "f1sh", "Xyz", "zy"] { #expect(!text.contains(part), "\(text)") }
    }
  }

  @Test(arguments: [
    #"{"message": "bad abc\/def+\"ghi'j=="}"#, #"{"message": "bad abc/def+\"ghi'j=="}"#,
    #"<p>abc/def+&quot;ghi'j==</p>"#, #"<p>abc/def+&quot;ghi&#39;j==</p>"#,
    #"<p>abc/def+&quot;ghi&#039;j==</p>"#, #"<p>abc/def+&quot;ghi&#x27;j==</p>"#,
    "abc%2Fdef%2B%22ghi%27j%3D%3D",
  ])
  func `a secret is found with the escapes of JSON, of HTML and of a URL`(_ text: String) throws {
    let redactor = try Redactor(request("abc/def+\"ghi'j=="))
    let redacted = redactor.redact(text, redactor.known)

    #expect(redacted.contains("<redacted>"))
    #expect(!redacted.contains("ghi") && !redacted.contains("abc"), "\(redacted)")
  }

  @Test func `a snippet that begins or ends in a secret doesn't show it`() throws {
    let request = try request("swordfish-0123456789-swordfish")
    for cut in 3...29 {
      var error = LoadError(.parsing, "x")
      let secret = "swordfish-0123456789-swordfish"
      error.parsing = .init(
        path: "", snippet: "…\(secret.suffix(cut)) here or there \(secret.prefix(cut))…")

      let snippet = try #require(explained(error, request).parsing?.snippet)

      #expect(snippet == "…<redacted> here or there <redacted>…", "\(cut)")
    }
  }

  @Test func `a server's message that is cut in a secret doesn't show it`() throws {
    let secret = "swordfish-0123456789-swordfish"
    let request = try request(secret)
    for padding in 471..<497 {
      let message = String(repeating: "x", count: padding) + secret + " is wrong"
      let response = Response(
        url: request.url, status: 400, body: Data("{\"message\": \"\(message)\"}".utf8))

      let error = try explained(LoadError(status: response), request, response)

      let text = try #require(error.serverMessage)
      #expect(!text.contains("sword"), "\(padding): \(text.suffix(50))")
    }
  }

  @Test func `a cookie of an earlier redirect is found in later texts`() async throws {
    let transport = StubTransport()
    transport.stub(
      "GET /a",
      .response(status: 302, headers: [.location: "/b", .setCookie: "sid=swordfish-first"]))
    transport.stub("GET /b", .response(status: 500, body: Data("who sent swordfish-first?".utf8)))
    let client = Client(baseURL: URL(string: "https://example.org")) {
      $0.transport = transport
    }

    let error = await #expect(throws: LoadError.self) { try await client.load(.void(.get("/a"))) }

    #expect(
      error.map { "\($0)".contains("who sent <redacted>?") } == true, "\(String(describing: error))"
    )
  }
}

extension Data {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
