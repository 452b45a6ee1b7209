import Foundation
import ResourcePrimitives
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceLoading

/// Secrets that are found after escapes, beside their names, and by their forms.
@Suite(.timeLimit(.minutes(10)))
struct SecretFormsTests {
  @Test(arguments: [
    "https://a.example/?redirect_uri=https%3A%2F%2Fb.example%2F%3Faccess_token%3DSWORDFISH",
    "https://a.example/?u=https%253A%252F%252Fb%252F%253Faccess_token%253DSWORDFISH%2526a%253D1",
    "https://a.example/?u=https%3A%2F%2Fme%3ASWORDFISH%40b.example%2F",
    #"{"url": "https:\/\/me:SWORDFISH@b.example\/"}"#,
    #"{"url": "https://b/?token\u003dSWORDFISH"}"#,
    #"{"a": "{\"b\": \"{\\\"token\\\": \\\"SWORDFISH\\\"}\"}"}"#,
    "<a href='https://b/?a=1&amp;token=SWORDFISH&amp;b=2'>",
    "state=%7B%22token%22%3A%22SWORDFISH%22%7D", "&lt;token&gt;SWORDFISH&lt;/token&gt;",
  ])
  func `a secret is found behind escapes`(_ text: String) {
    let redacted = SecretText.redact(text)

    #expect(!redacted.contains("SWORDFISH") && redacted.contains("<redacted>"), "\(redacted)")
  }

  @Test(arguments: [
    #"[{"name": "password", "value": "SWORDFISH"}, {"name": "a", "value": "kept"}]"#,
    #"[{"value": "SWORDFISH", "name": "password"}, {"value": "kept", "name": "a"}]"#,
    #"{"key": "api_key", "value": {"text": "SWORDFISH"}, "a": "kept"}"#,
    #"<input type="hidden" name="authenticity_token" value="SWORDFISH"><p>kept</p>"#,
    #"<input value='SWORDFISH' name='authenticity_token' type=hidden><p>kept</p>"#,
    #"<input value=SWORDFISH name=csrf><p>kept</p>"#,
    #"<meta name="csrf-token" content="SWORDFISH"/><meta name="a" content="kept"/>"#,
    #"<meta content="SWORDFISH" name="csrf-token"><meta content="kept" name="a">"#,
    "<key>token</key><string>SWORDFISH</string><key>a</key><string>kept</string>",
    #"<add key="Password" value="SWORDFISH"/><add key="a" value="kept"/>"#,
    #"<string name="api_key">SWORDFISH</string><string name="a">kept</string>"#,
    #"{"query": "mutation { login(name: \"kept\", password: \"SWORDFISH\") { id } }"}"#,
    #"{"query": "mutation { login(name: \"kept\", password:\"SWORDFISH\") { id } }"}"#,
    #"mutation { login(name: "kept", password: """SWORDFISH "x" SWORDFISH""") { id } }"#,
    "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nSWORDFISH\r\n--b\r\n"
      + "Content-Disposition: form-data; name=\"a\"\r\n\r\nkept\r\n--b--\r\n",
    "- name: API_TOKEN\n  value: SWORDFISH\n- name: A\n  value: kept\n",
  ])
  func `a secret is found beside a value that names it, in either order`(_ text: String) {
    let redacted = SecretText.redact(text)

    #expect(!redacted.contains("SWORDFISH") && redacted.contains("kept"), "\(redacted)")
  }

  @Test(arguments: [
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "ghp_0123456789abcdefghijABCD", "AKIAIOSFODNN7EXAMPLE", "sk_live_0123456789abcdef",
    "xoxb-123456789012-abcdefABCDEF",
  ])
  func `a token is recognized by its form`(_ token: String) {
    #expect(SecretText.redact("a \(token), b") == "a <redacted>, b")
    #expect(SecretText.redact("{\"a\": \"\(token)\"}") == "{\"a\": \"<redacted>\"}")
    #expect(SecretText.redact("https://h/\(token)/b") == "https://h/<redacted>/b")
  }

  @Test func `private keys and credentials after a scheme are found in any text`() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"
    #expect(
      SecretText.redact("a \(key) b")
        == "a -----BEGIN RSA PRIVATE KEY-----<redacted>-----END RSA PRIVATE KEY-----\n b")
    #expect(SecretText.redact("-----BEGIN EC PRIVATE KEY-----\nMII").hasSuffix("-----<redacted>"))
    let certificate = "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----\n"
    #expect(SecretText.redact(certificate) == certificate)
    #expect(
      SecretText.redact("sent Bearer abc123def4, Basic YWxpY2U6eA==,")
        == "sent Bearer <redacted>, Basic <redacted>,")
    let prose = "a bearer certificate, Basic Authentication, and no risk-free sk-word"
    #expect(SecretText.redact(prose) == prose)
  }

  @Test(arguments: [
    #"{"iso_language_code": "ja", "total_tokens": 12, "token_type": "Bearer"}"#,
    "Access-Control-Allow-Credentials: true", #"{"credentials": false, "country_code": "DE"}"#,
    #"{"name": "a session on tokens", "value": "open"}"#, "<h1 id='session'>Sessions</h1>",
  ])
  func `other text stays`(_ text: String) {
    #expect(SecretText.redact(text) == text)
  }

  @Test func `quotes are added as the name has them`() {
    #expect(
      SecretText.redact(#"{"a": "{\"pin\": 12}"}"#) == #"{"a": "{\"pin\": \"<redacted>\"}"}"#)
    #expect(SecretText.redact("%22pin%22%3A12%2C") == "%22pin%22%3A%22<redacted>%22%2C")
  }
}

/// Known secrets, wherever a server repeats them.
@Suite(.timeLimit(.minutes(10)))
struct KnownFormsTests {
  @Test(arguments: ["S3cret/väl+e 1", "tok-0123456789", "a\"b<c>&d'e", "50%25 off!"])
  func `a known secret is found in every form`(_ secret: String) throws {
    let url = try #require(URL(string: "https://example.org/"))
    let redactor = Redactor(Request.get(url).header("X-Api-Key", secret))
    let json = try #require(String(data: JSONEncoder().encode([secret]), encoding: .utf8))
    let ascii = secret.unicodeScalars.map {
      $0.isASCII ? String($0) : "\\u00" + String($0.value, radix: 16)
    }.joined()
    let escaped = PercentEncoding.unreserved.encode(secret)
    let bytes = Data(secret.utf8)
    let forms = [
      secret, json, ascii.replacing(["\"": "\\\""]), escaped, escaped.replacing(["%": "%25"]),
      escaped.replacing("%20", with: "+"), escaped.replacing("%C3%A4", with: "%c3%a4"),
      bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(),
      bytes.base64EncodedString(), (Data("me:".utf8) + bytes).base64EncodedString(),
      (Data("user:".utf8) + bytes + Data(":x".utf8)).base64EncodedString(),
      bytes.base64EncodedString().replacing(["+": "-", "/": "_"]),
      secret.replacing(["&": "&amp;", "<": "&lt;", "\"": "&#34;", "'": "&#x27;"]),
    ]
    for form in forms {
      let redacted = redactor.redact("you sent (\(form))", redactor.known)

      #expect(redacted.contains("<redacted>"), "\(form): \(redacted)")
      #expect(!redacted.contains(form), "\(form): \(redacted)")
    }
  }

  @Test func `the capacity limits the number of secrets, regardless of their forms`() {
    let secrets = (0..<KnownSecrets.capacity).map { "s\u{E9}cret+\($0 + 100)/" }
    let known = KnownSecrets([Set(secrets)])

    for secret in secrets {
      #expect(known.findings(in: Array(secret.utf8)).map(\.known) == [secret])
    }
  }
}
