import Foundation
import ResourceJSON
import TestSupport
import Testing

@testable import ResourceLoading

@Suite(.inTurn)
struct JSONValueReadingTests {
  private func read(_ text: String) throws -> JSONValue { try JSONValue(parsing: Data(text.utf8)) }

  @Test(
    arguments: [
      ("null", JSONValue.null), (" true\n", true), ("[false]", [false]), ("0", 0), ("-0", 0),
      ("-12.5e-1", .number(-1.25)), ("1.0", 1), ("1e2", 100),
      ("9223372036854775807", .number(JSONNumber(Int64.max))),
      ("9007199254740993.0", 9_007_199_254_740_993),
      ("9223372036854775808", .number(JSONNumber(UInt64(9_223_372_036_854_775_808)))), ("\"\"", ""),
      ("\"é\\u00e9\\n\\\\\\\"\\/\\b\\f\\r\\t\"", "éé\n\\\"/\u{8}\u{C}\r\t"),
      ("\"\\ud83d\\ude00 \\u0000\"", "😀 \0"), ("[]", []), ("{}", [:]),
      ("[[],[[]],{}]", [[], [[]], [:]]),
      (
        "{\"a\": {\"b\": [1, {\"c\": null}]}, \"d\" : 2}", ["a": ["b": [1, ["c": .null]]], "d": 2]
      ),
      ("{\"\\u0061\": 1, \"a\": 2}", ["a": 1]), ("\u{FEFF}[1]", [1]),
    ] as [(String, JSONValue)])
  func `text is read as the value it represents`(_ text: String, _ expected: JSONValue) throws {
    #expect(try read(text) == expected)
    #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == expected)
  }

  @Test(arguments: [
    ("", "the text is empty", 1, 1), (" ", "the text ends too early", 1, 2),
    ("[1,\n -01]", "a number has a leading zero", 2, 2), ("[1.]", "a number lacks a digit", 1, 4),
    ("{\"a\":1,}", "a comma has no member behind it", 1, 8),
    ("[1 2]", "“,” or “]” is expected", 1, 4), ("{\"a\" 1}", "“:” is expected behind a name", 1, 6),
    ("[\"\u{1}\"]", "a string has a control character that isn't escaped", 1, 3),
    ("[\"\\x\"]", "a string has an unknown escape", 1, 3),
    ("[\"\\ud800x\"]", "an escape has half of a surrogate pair", 1, 3),
    ("[\"\\udc00\\ud800\"]", "an escape has half of a surrogate pair", 1, 3),
    ("[1] 2", "there is more behind the value", 1, 5), ("[True]", "a value is expected", 1, 2),
    ("{1:2}", "a name in quotes is expected", 1, 2), ("[\"a", "a string doesn't end", 1, 2),
  ])
  func `an error has its position`(
    _ text: String, _ reason: String, _ line: Int, _ column: Int
  ) throws {
    let error = try #require(throws: LoadError.self) { try read(text) }

    #expect(error.reason == "the text isn't JSON: \(reason)")
    #expect(error.parsing?.line == line && error.parsing?.column == column)
  }

  @Test func `bytes that aren't UTF-8 are refused`() {
    let text = Data("[\"".utf8) + [0xC3] + Data("\"]".utf8)

    #expect(throws: LoadError.self) { try JSONValue(parsing: text) }
  }

  private func nested(_ levels: Int, _ inner: String = "") -> String {
    String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
  }

  @Test func `values can be nested 512 deep and no deeper`() throws {
    var value = try read(nested(512))
    for _ in 1..<512 { value = try #require(value[0]) }
    #expect(value == [])

    let error = try #require(throws: LoadError.self) { try read(nested(100_000)) }
    #expect(error.reason == "the text isn't JSON: values are nested deeper than 512")
    #expect(error.parsing?.column == 513)
  }

  @Test(.timeLimit(.minutes(10)))
  func `deep values take linear time`() throws {
    // Foundation's decoder, which tries one type after another, takes minutes for 100 KB of these.
    let url = try #require(URL(string: "https://example.org/"))
    let ones = nested(500, Array(repeating: "1,\"\",{}", count: 5_000).joined(separator: ","))
    let deep = "[\(Array(repeating: nested(500), count: 60).joined(separator: ","))]"
    let objects =
      String(repeating: "{\"a\":", count: 500) + "1" + String(repeating: "}", count: 500)

    for text in [ones, deep, "[\(Array(repeating: objects, count: 60).joined(separator: ","))]"] {
      _ = try read(text)
      let problem = try #require(ProblemDetails(Data("{\"title\":\"t\",\"x\":\(text)}".utf8)))
      #expect(problem.title == "t")

      let body = Data("{\"value\":\(text)}".utf8)
      let holder = try Resource<Holder>(json: url).parser(Response(url: url, body: body))
      #expect(holder.value == (try read(text)))
    }
  }

  /// A type with a property of any JSON.
  private struct Holder: Decodable, Sendable {
    let value: JSONValue
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a written value is read back, and equals Foundation's reading`(_ seed: UInt64) throws {
    var random = Generator(state: seed)
    let value = JSONValue.random(&random, levels: 6)
    let text = try JSONEncoder().encode(value)

    #expect(try JSONValue(parsing: text) == value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: text) == value)
  }

  @Test func `a changed or dropped byte is read as Foundation reads it`() throws {
    let text = Array(#"{"a": [1, -2.5e3, "x\né\u00e9", null, true], "b": {"c": [{}, []]}}"#.utf8)

    for i in text.indices {
      for byte: UInt8? in [nil, 0x20, 0x22, 0x2C, 0x30, 0x5B, 0x5D, 0x5C, 0x65, 0x7D, 0xC3] {
        var changed = text
        if let byte { changed[i] = byte } else { changed.remove(at: i) }
        let data = Data(changed)
        guard let ours = try? JSONValue(parsing: data) else { continue }
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == ours)
      }
    }
  }
}

/// Numbers that repeat.
private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 29
  }
}

extension JSONValue {
  fileprivate static func random(_ random: inout Generator, levels: Int) -> JSONValue {
    switch Int.random(in: 0..<(levels > 0 ? 9 : 6), using: &random) {
    case 0: .null
    case 1: .bool(.random(using: &random))
    case 2: .number(JSONNumber(Int64.random(in: .min ... .max, using: &random)))
    case 3: .number(JSONNumber(Double.random(in: -1e9...1e9, using: &random)) ?? 0)
    case 4: .string("x\"\\/\n\u{1F}é東😀\(Int.random(in: 0..<99, using: &random))")
    case 5: ""
    case 6: .array((0..<3).map { _ in Self.random(&random, levels: levels - 1) })
    default:
      .object(
        Dictionary(
          uniqueKeysWithValues: (0..<3).map {
            ("k\"\($0)", Self.random(&random, levels: levels - 1))
          }))
    }
  }
}
