import Foundation
import ResourceJSON
import Testing

/// Numbers that keep their text.
struct JSONNumberTests {
  private static let texts = [
    "0", "-0", "1.0", "1E+2", "12345678901234567890", "9007199254740993.5", "1e400", "1e-400",
    "0.10", "123456789012345678901234567890.123456789012345678901234567890",
  ]

  @Test(arguments: texts)
  func `a number is written as it was read`(text: String) throws {
    let json = Data("{\"a\":[\(text)]}".utf8)

    let numbers = try JSONReader().decode([String: [JSONNumber]].self, from: json)

    #expect(numbers["a"]?.first?.description == text)
    #expect(try JSONWriter().encode(numbers) == json)
  }

  @Test(arguments: [
    ("1", "1.0", true), ("10e-1", "1", true), ("-0", "0.00e7", true), ("100", "1e2", true),
    ("0.1", "0.10", true), ("1", "-1", false), ("1", "10", false), ("1e400", "1e401", false),
    ("12345678901234567890", "12345678901234567891", false),
    ("1e99999999999999999999", "1e-99999999999999999999", false),
  ])
  func `numbers are equal if they are the same, however they are written`(
    _ one: String, _ other: String, _ areEqual: Bool
  ) throws {
    let one = try #require(JSONNumber(one))
    let other = try #require(JSONNumber(other))

    #expect((one == other) == areEqual)
    #expect(Set([one, other]).count == (areEqual ? 1 : 2))
  }

  @Test(arguments: ["", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1 ", "NaN", "1.e1", "١"])
  func `what isn't a number by the grammar isn't one here`(text: String) {
    #expect(JSONNumber(text) == nil)
  }

  @Test func `types are asked for one by one`() throws {
    let number = try #require(JSONNumber("9007199254740993.50"))

    #expect(number.double == 9_007_199_254_740_994)
    #expect(number.decimal == Decimal(string: "9007199254740993.5"))
    #expect(number.integer(Int.self) == nil)
    #expect(JSONNumber("12e2")?.integer() == 1200 && JSONNumber("256")?.integer(UInt8.self) == nil)
    #expect(JSONNumber("1.20e1")?.integer(UInt8.self) == 12 && JSONNumber("-0.0")?.integer() == 0)
    #expect(JSONNumber("1e999999999")?.integer(Int.self) == nil)
    #expect(JSONNumber("1e400")?.double == .infinity)
    #expect(JSONNumber(Double.nan) == nil && JSONNumber(Decimal.nan) == nil)
    #expect((1e16 as JSONNumber).description == "1e+16" && (2.0 as JSONNumber).description == "2")
  }

  @Test(arguments: [
    ("18446744073709551615", "18446744073709551615"), ("-5", "-5"), ("0.1", "0.1"),
    ("12345678901234567890.5", "12345678901234567890.5"), ("1e-300", "1e-300"), ("2.50", "2.5"),
  ])
  func `Foundation's coders get the type that has all of its digits`(
    _ text: String, _ written: String
  ) throws {
    let number = try JSONDecoder().decode([JSONNumber].self, from: Data("[\(text)]".utf8))

    #expect(number == [try #require(JSONNumber(text))])
    #expect(try JSONEncoder().encode(number) == Data("[\(written)]".utf8))
  }

  @Test func `anything else isn't a number`() {
    for text in ["\"1\"", "null", "[1]", "true"] {
      #expect(throws: DecodingError.self) {
        try JSONReader().decode(JSONNumber.self, from: Data(text.utf8))
      }
    }
  }

  @Test func `a canonical writer writes the double, if that is the number`() throws {
    let writer = JSONWriter(isCanonical: true)

    #expect(try writer.encode(JSONNumber("1.50e1")) == Data("15".utf8))
    #expect(throws: EncodingError.self) { try writer.encode(JSONNumber("12345678901234567890.5")) }
  }

  @Test(arguments: [
    "1e9223372036854775807", "10e9223372036854775807", "1.5e-9223372036854775808",
    "0.001e-9223372036854775807",
  ])
  func `an exponent at the end of Int is a number like others`(_ text: String) throws {
    let number = try #require(JSONNumber(text))

    #expect(number.integer(Int.self) == nil)
    #expect(number != 1 && Set([number, 1]).count == 2)
  }
}
