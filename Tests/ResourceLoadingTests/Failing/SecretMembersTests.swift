import Testing

@testable import ResourceLoading

@Suite struct SecretMembersTests {
  @Test(arguments: [
    (#"{"name": "Ada", "count": 7}"#, #"{"name": "Ada", "count": 7}"#),
    (#"{"access_token":"abc","a":1}"#, #"{"access_token":"<redacted>","a":1}"#),
    (#"{"apiKey" : 123.5e7, "a": [1]}"#, #"{"apiKey" : "<redacted>", "a": [1]}"#),
    (#"{"password": "a\"b", "a": "b"}"#, #"{"password": "<redacted>", "a": "b"}"#),
    (#"{"refreshToken": "cut o"#, #"{"refreshToken": "<redacted>""#),
    (#"{"a": {"secret": "x"}, "b": 1}"#, #"{"a": {"secret": "<redacted>"}, "b": 1}"#),
    (#"{"a": 1, "tokens": ["x", "y"]}"#, #"{"a": 1, "tokens": <redacted>"#),
    (#"{"credentials": {"id": 1, "b""#, #"{"credentials": <redacted>"#),
    ("user=ada&password=swordfish&x=1", "user=ada&password=<redacted>&x=1"),
    ("<a><Token id='1'>abc</Token></a>", "<a><Token id='1'><redacted></Token></a>"),
    ("plain text, and 1 = 1", "plain text, and 1 = 1"),
  ])
  func `what a secret's name stands for is replaced`(_ text: String, _ redacted: String) {
    #expect(SecretMembers.redact(text) == redacted)
  }
}
