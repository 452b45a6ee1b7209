import Foundation
import ResourceJSON
import ResourceLoading
import TestSupport
import Testing

@Suite(.inTurn)
struct JSONValueTests {
  private static let value: JSONValue = [
    "null": .null, "true": true, "whole": 9_007_199_254_740_993, "half": 0.5, "text": "é",
    "list": [1, "two", [3.5]], "object": ["a": ["b": false]],
  ]

  @Test func `a literal is read back from its JSON`() throws {
    let json = try JSONEncoder().encode(Self.value)

    #expect(try JSONDecoder().decode(JSONValue.self, from: json) == Self.value)
  }

  @Test func `members have names and elements have positions`() {
    #expect(Self.value["object"]?["a"]?["b"]?.bool == false)
    #expect(Self.value["list"]?[1]?.string == "two" && Self.value["list"]?[2]?[0]?.double == 3.5)
    #expect(Self.value["whole"]?.integer == 9_007_199_254_740_993)
    #expect(Self.value["null"] == .null && Self.value["none"] == nil)
    #expect(
      Self.value["list"]?[3] == nil && Self.value["list"]?["a"] == nil && Self.value[0] == nil)
    #expect(Self.value["half"]?.integer == nil && Self.value["text"]?.double == nil)
  }

  @Test(arguments: [
    ("1", JSONValue.number(1)), ("-0", .number(0)), ("1e400", nil),
    ("18446744073709551616", .number(JSONNumber(UInt128(18_446_744_073_709_551_616)))),
    ("[]", .array([])), ("{}", .object([:])), ("nope", nil), ("", nil),
  ])
  func `scalars are read and mistakes are errors`(_ json: String, _ expected: JSONValue?) {
    #expect((try? JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))) == expected)
  }

  @Test(arguments: [
    "12345678901234567890", "9007199254740993.5", "1.10", "1E+2", "-0", "1e400",
    "0.1234567890123456789012345678901234567890",
  ])
  func `a number is sent as it was read`(_ number: String) throws {
    let json = Data("{\"list\":[\(number)]}".utf8)

    let value = try JSONValue(parsing: json)

    #expect(try Request.Body.json(value).data() == json)
    #expect(value["list"]?[0]?.number?.description == number)
  }
}
