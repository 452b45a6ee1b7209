import Foundation
import ResourceTesting
import TestSupport
import Testing

@testable import ResourcePrimitives

/// Finds the values after the names of secrets in any text, in linear time.
@Suite(.timeLimit(.minutes(10)))
struct SecretTextTests {
  @Test(arguments: [
    (#"{"name": "Ada", "count": 7}"#, #"{"name": "Ada", "count": 7}"#),
    (#"{"access_token":"abc","a":1}"#, #"{"access_token":"<redacted>","a":1}"#),
    (#"{"apiKey" : 123.5e7, "a": [1]}"#, #"{"apiKey" : "<redacted>", "a": [1]}"#),
    (#"{"apiKey": null}"#, #"{"apiKey": null}"#),
    (#"{"password": "a\"b", "a": "b"}"#, #"{"password": "<redacted>", "a": "b"}"#),
    (#"{"refreshToken": "cut o"#, #"{"refreshToken": "<redacted>"#),
    (#"{"a": {"secret": "x"}, "b": 1}"#, #"{"a": {"secret": "<redacted>"}, "b": 1}"#),
    (#"{"a": 1, "tokens": "x"}"#, #"{"a": 1, "tokens": "<redacted>"}"#),
    (#"{"tokens": ["x", "]", {"y": 1}], "b": 1}"#, #"{"tokens": "<redacted>", "b": 1}"#),
    (#"{"credentials": {"id": 1, "b""#, #"{"credentials": "<redacted>""#),
    (#"{"p\u0061ssword": "x"}"#, #"{"p\u0061ssword": "<redacted>"}"#),
    (
      #"{"body": "{\"token\": \"x y\", \"a\": 1}"}"#,
      #"{"body": "{\"token\": \"<redacted>\", \"a\": 1}"}"#
    ),
    ("{'token': 'x y'}", "{'token': '<redacted>'}"),
    ("user=ada&password=swordfish&x=1", "user=ada&password=<redacted>&x=1"),
    ("a=1;token=x;b=2", "a=1;token=<redacted>;b=2"),
    ("a=1; token=x, b=2", "a=1; token=<redacted>, b=2"),
    ("user%5Bapi_key%5D=x&y", "user%5Bapi_key%5D=<redacted>&y"),
    ("<a><Token id='1'>abc</Token></a>", "<a><Token id='1'><redacted></Token></a>"),
    ("<token><![CDATA[abc]]></token>", "<token><redacted></token>"), ("<token/>abc", "<token/>abc"),
    (#"<a password="x y" b="c"/>"#, #"<a password="<redacted>" b="c"/>"#),
    ("<Code>NoSuchKey</Code>", "<Code>NoSuchKey</Code>"),
    ("Authorization: Bearer abc def\nX: y", "Authorization: <redacted>\nX: y"),
    ("status code: 404, key: none", "status code: 404, key: none"),
    ("plain text, and 1 = 1", "plain text, and 1 = 1"),
    (
      "https://u:p@h:80/a;jsessionid=1?code_verifier=v&b=c",
      "https://<redacted>@h:80/a;jsessionid=<redacted>&b=c"
    ),
    (
      "<https://h/?token=a>; rel=next, <https://u@h/?b=c&sig=d>; rel=\"last\"",
      "<https://h/?token=<redacted>>; rel=next, <https://<redacted>@h/?b=c&sig=<redacted>>; rel=\"last\""
    ),
    ("5; url=https://h/?SAMLResponse=x&a=b", "5; url=https://h/?SAMLResponse=<redacted>&a=b"),
    ("token = \"x\" password = y z", "token = \"<redacted>\" password = <redacted> z"), ("", ""),
    ("=", "="), (":", ":"),
  ])
  func `the value after a secret's name is replaced`(_ text: String, _ redacted: String) {
    #expect(SecretText.redact(text) == redacted)
  }

  /// A text of the pieces that matter to the scanner, with names of secrets anywhere.
  private static func text(_ generator: inout SeededGenerator, _ count: Int) -> String {
    let pieces = [
      "token", "a", "\"", "'", "\\", ":", "=", " ", "{", "}", "[", "]", "<", ">", "/", "//", "@",
      "&", ";",
      ",", "\n", "#", "?", "Authorization: ", "ü", "%", "password", "</", "]]>",
    ]
    return (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }
      .joined()
  }

  @Test func `the findings in any text are inside it and don't overlap`() {
    var generator = SeededGenerator(seed: 18)
    for count in 0..<600 {
      let text = Self.text(&generator, count % 40)
      let bytes = Array(text.utf8)
      let findings = SecretText.findings(in: bytes)

      #expect(
        zip(findings, findings.dropFirst()).allSatisfy {
          $0.range.upperBound <= $1.range.lowerBound
        })
      #expect(findings.allSatisfy { $0.range.upperBound <= bytes.count && !$0.range.isEmpty })
    }
  }

  @Test func `a secret is found after any text`() {
    var generator = SeededGenerator(seed: 19)
    for count in 0..<600 {
      let before = Self.text(&generator, count % 30).replacing("\"", with: "").replacing(
        "'", with: "")
      for member in [
        "\n\"api_key\": \"swordfish\"}", "&api_key=swordfish&", "\nX-Api-Key: swordfish\n",
      ] {
        #expect(!SecretText.redact(before + member).contains("swordfish"), "\(before + member)")
      }
    }
  }

  // A quadratic pass over these would take minutes.
  @Test(arguments: [
    "a", "\"", "\\\"", "{\"token\":", "token=", "\"token\":{", "//", "//u@", "<token>", "<", ":",
    "= ", " ", "'",
    "token: ", "a.b[", "%25", "\"token\":\"\\", "https://u:p@", ";", "aaaaaaaaaaaaaaaa:",
    "\u{1F511}",
    "name=", "value='", "value=\"", "\"name\":\"token\",", "{\"value\":\"x\",", "name: value: ",
    "<input name=\"token\" value=", "<key>token</key><string>", "%22token%22%3A", "&#", "&amp;",
    "\\u0022", "eyJ", "eyJaaaaaaaaaaaaaa.", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "sk-",
    "Bearer a1", "SG.", "form-data; name=\"token\"\r\n\r\n", "\r\n\r\n", "\"\"\"",
    "\"token\":[{\"a\":",
  ])
  func `a text takes linear time`(_ piece: String) {
    let text = String(repeating: piece, count: 200_000 / piece.utf8.count)

    #expect(SecretText.redact(text).utf8.count < 12 * text.utf8.count)
  }

  @Test func `names that the caller adds are recognized`() {
    #expect(SecretText.redact("tenant=x&a=b", names: ["Tenant"]) == "tenant=<redacted>&a=b")
  }
}
