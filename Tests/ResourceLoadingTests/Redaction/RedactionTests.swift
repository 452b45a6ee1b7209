import Foundation
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// No text shows a secret, wherever it is and whoever repeats it.
@Suite(.inTurn, .timeLimit(.minutes(10)))
struct RedactionTests {
  private static let secrets = [
    "s3cr3t-bearer", "s3cr3t-cookie", "s3cr3t-query", "s3cr3t-user", "s3cr3t-pass", "s3cr3t-set",
    "s3cr3t-next", "s3cr3t-key", "s3cr3t%2Fquery",
  ]

  private func makeRequest(_ server: LoopbackServer, _ target: String) throws -> Request {
    let address = server.url(target).absoluteString
      .replacing("http://", with: "http://s3cr3t-user:s3cr3t-pass@")
    var request = Request(
      url: try #require(URL(string: address)),
      query: ["access_token": "s3cr3t-query", "api_key": "s3cr3t/query", "page": "2"],
      headers: [
        .authorization: "Bearer s3cr3t-bearer", .cookie: "sid=s3cr3t-cookie",
        "X-Api-Key": "s3cr3t-key",
      ])
    request.options.redirects = .follow(maximum: 3)
    return request
  }

  @Test(arguments: ["/echo", "/html", "/loop", "/drop", "/badjson"], Means.allCases)
  func `no text of an error shows a secret`(_ target: String, _ means: Means) async throws {
    let server = try LoopbackServer {
      LoopbackRoute("GET /echo") { request in
        .response(
          status: 403,
          headers: ["Set-Cookie": "id=s3cr3t-set", "X-Echo": "Bearer s3cr3t-bearer"],
          body: #"{"message": "bad token s3cr3t-bearer at \#(request.target)"}"#)
      }
      LoopbackRoute("GET /html") { request in .response(body: "<p>\(request.text)</p>") }
      LoopbackRoute("GET /badjson") { _ in
        .json(#"{"token": "s3cr3t-bearer", "a": ["s3cr3t-key", }"#)
      }
      LoopbackRoute("GET /loop") { _ in .redirect(to: "/loop?token=s3cr3t-next") }
      LoopbackRoute("GET /drop") { _ in .reset }
    }
    defer { server.stop() }
    let resource = Resource<[Int]>(json: try makeRequest(server, target))

    for form in Form.allCases {
      let result = await form.load(resource, with: means.makeLoader())
      let error = try #require(result.failure as? LoadError)
      var dumped = ""
      dump(error, to: &dumped)
      let body = String(decoding: error.response?.body ?? Data(), as: UTF8.self)
      let texts = [
        error.description, String(reflecting: error), error.localizedDescription, "\(error)",
        dumped,
        body, String(reflecting: error.underlying as Any),
      ]
      for secret in Self.secrets {
        for text in texts { #expect(!text.contains(secret), "\(text)") }
      }
      #expect(error.description.contains("<redacted>"))
    }
  }

  @Test func `a cURL command shows what isn't secret and quotes for a shell`() throws {
    let request = Request(
      .post, url: try #require(URL(string: "https://u:p4ssword@example.org/a?token=abc123&q=it's")),
      headers: ["X-Api-Key": "abcdef", "X-Note": "it's"], body: .text("hello"))

    #expect(
      request.curlCommand == """
        curl -X 'POST' -H 'X-Api-Key: <redacted>' -H 'X-Note: it'\\''s' \
        -H 'Content-Type: text/plain; charset=utf-8' --data-binary '<5 bytes>' \
        'https://<redacted>@example.org/a?token=<redacted>&q=it'\\''s'
        """)
  }

  @Test(arguments: [
    ("https://h/p#access_token=abcdef", "https://h/p"), ("https://h/p#top", "https://h/p#top"),
    ("https://h/?X-Amz-Signature=abc&x=1", "https://h/?X-Amz-Signature=<redacted>&x=1"),
    ("https://h/?keyboard=1&key=2", "https://h/?keyboard=1&key=<redacted>"),
    ("https://user@h/a@b", "https://<redacted>@h/a@b"), ("/p?code=1234", "/p?code=<redacted>"),
  ])
  func `a URL loses its secrets and nothing else`(_ url: String, _ expected: String) throws {
    let request = Request(url: try #require(URL(string: url)))

    #expect(request.curlCommand == "curl '\(expected)'")
  }
}
