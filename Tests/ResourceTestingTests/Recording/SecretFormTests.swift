import Foundation
import ResourceLoading
import ResourceTesting
import Testing

/// Secrets in recordings without a name in front of them, and names that look like those of
/// secrets.
struct SecretFormTests {
  private static let token = "t0k/3n+5f7Qz91-xY"

  private func redacted(_ body: String, _ headers: Headers = [:]) throws -> HTTPArchive.Entry {
    let entry = HTTPArchive.Entry(
      request: .init(
        "GET", url: "https://a.example/", headers: [.authorization: "Bearer \(Self.token)"]),
      response: .init(status: 200, headers: headers, body: .init(Data(body.utf8))))
    return try #require(HTTPArchive([entry]).redacted().entries.first)
  }

  private func text(_ entry: HTTPArchive.Entry) -> String {
    String(decoding: entry.response.body?.data ?? Data(), as: UTF8.self)
  }

  @Test(arguments: [
    (
      #"[{"name": "password", "value": "hunter2x"}]"#,
      #"[{"name": "password", "value": "redacted-2"}]"#
    ),
    (
      #"{"query": "{ login(password: \"hunter2x\") }"}"#,
      #"{"query": "{ login(password: \"redacted-2\") }"}"#
    ),
    (#"<input value="hunter2x" name="csrf">"#, #"<input value="redacted-2" name="csrf">"#),
    (
      #"<meta name="csrf-token" content="hunter2x">"#,
      #"<meta name="csrf-token" content="redacted-2">"#
    ),
    (#"{"a": "https:\/\/me:hunter2x@b.example\/"}"#, #"{"a": "https:\/\/redacted-2@b.example\/"}"#),
    (#"{"a": "{\"pin\": 12}"}"#, #"{"a": "{\"pin\": 900000002}"}"#),
    (
      #"{"a": "{\"session\": {\"id\": \"hunter2x\"}}"}"#,
      #"{"a": "{\"session\": {\"id\": \"redacted-2\"}}"}"#
    ),
    (
      "next=https%3A%2F%2Fb%2F%3Ftoken%3Dhunter2x%26a%3D1",
      "next=https%3A%2F%2Fb%2F%3Ftoken%3Dredacted-2%26a%3D1"
    ),
  ])
  func `a secret beside its name, or behind escapes, gets a stand-in`(
    _ body: String, _ expected: String
  ) throws {
    #expect(try text(redacted(body)) == expected)
  }

  @Test func `every form of a token that was sent gets its stand-in`() throws {
    let bytes = Data(Self.token.utf8)
    let hexadecimal = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let forms = [
      Self.token, Self.token.replacing("/", with: #"\/"#), Self.token.replacing("/", with: "%2f"),
      bytes.base64EncodedString(), hexadecimal, hexadecimal.uppercased(),
    ]
    for form in forms { #expect(try text(redacted("a (\(form))")) == "a (redacted-1)", "\(form)") }
  }

  @Test func `a value that isn't secret stays as it was received`() throws {
    let body = #"{"iso_language_code": "ja", "total_tokens": 12}"#
    let headers: Headers = ["Access-Control-Allow-Credentials": "true", "X-Token": "true"]

    let entry = try redacted(body, headers)

    #expect(text(entry) == body && entry.response.headers == headers)
  }

  @Test func `texts that look random are listed with their places`() throws {
    let body = #"{"id": "550e8400-e29b-41d4-a716-446655440000", "at": "2026-11-23T14:46:47.123Z"}"#
    let entry = try redacted(
      body + " getUserByIdentifier22 application/vnd.api-1.2+json 12345678901234567890",
      [
        "X-Trace": "9f86d081884c7d659a2feaa0c55ad015",
        .eTag: "\"9f86d081884c7d659a2feaa0c55ad015a\"",
      ])

    let texts = HTTPArchive([entry, entry]).randomTexts

    #expect(
      texts.map(\.text) == [
        "9f86d081884c7d659a2feaa0c55ad015", "550e8400-e29b-41d4-a716-446655440000",
      ])
    #expect(texts.map(\.place) == ["response header X-Trace", "response body"])
    #expect(texts.map(\.entry) == [1, 1])
  }
}
