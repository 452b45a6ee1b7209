import Foundation
import ResourceJSON
import Testing

/// The grammar of RFC 8259, beyond the cases of the parsing suite.
struct GrammarTests {
  @Test(arguments: [
    "[\"a\"]",
    "[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]",
    "{\"title\":\"\\u041f\\u043e\\u043b\" }", "\u{FEFF}[]",
  ])
  func `text that follows the grammar is accepted, with JSONDecoder's value`(text: String) throws {
    let data = Data(text.utf8)

    let value = try JSONReader().decode(Tree.self, from: data)

    // Foundation refuses 0 with an exponent.
    let foundation = try? JSONDecoder().decode(Tree.self, from: data)
    #expect(value == foundation || text.contains("[0e"))
  }

  @Test(arguments: [
    "\u{2060}", "[\u{0}", "[\u{A0}]", "[nulll]", "[truefalse]", "[1 2]", "[1\u{0}]",
    "{\"a\":1 \"b\":2}", "\u{FEFF}\u{FEFF}[]", "[\"\\uDC00\"]", "[\"\\uD800\"]",
    "[\"\\uD800\\uD800\"]", "[\"\\uD800x\"]",
  ])
  func `text that breaks the grammar is refused, with its position`(text: String) throws {
    let error = try #require(throws: DecodingError.self) {
      try JSONReader().decode(Tree.self, from: Data(text.utf8))
    }

    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(context.codingPath.isEmpty)
    let syntax = try #require(context.underlyingError as? JSONSyntaxError)
    #expect(syntax.position.offset <= text.utf8.count)
  }

  @Test(
    arguments: [
      [0x5B, 0xFF, 0x5D], [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22],
      [0x22, 0xE0, 0x80, 0x80, 0x22], [0x22, 0xC3, 0x22],
      [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22], [0x22, 0x80, 0x22],
      [0x22, 0xE2, 0x82, 0x22], [0x22, 0xF0, 0x9F, 0x98, 0x22],
      [0x22, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x22], [0x22, 0xC1, 0xBF, 0x22],
      [0x22, 0xFE, 0x22], [0x22, 0xE2, 0x28, 0xA1, 0x22], [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
      [0xEF, 0xBB, 0x5B, 0x5D], [0x22, 0xE2], [0xEF],
      [0x7B, 0x22, 0xB9, 0x22, 0x3A, 0x30, 0x7D], [0x5B, 0x31, 0xE5, 0x5D],
    ] as [[UInt8]])
  func `bytes that aren't UTF-8 are refused`(bytes: [UInt8]) {
    #expect(throws: DecodingError.self) { try JSONReader().decode(Tree.self, from: Data(bytes)) }
  }

  @Test func `sequences of up to three bytes in a string are valid exactly when they are UTF-8`() {
    let reader = JSONReader()
    let ends: [UInt8] = [0x20, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xE0, 0xFF]
    for lead in UInt8(0x20)...0xFF where lead != 0x22 && lead != 0x5C {
      for second in ends {
        for third in [nil] + ends {
          let content = [lead, second] + (third.map { [$0] } ?? [])
          let text = try? reader.decode(String.self, from: Data([0x22] + content + [0x22]))
          #expect(text == String(validating: content, as: UTF8.self))
        }
      }
    }
  }

  @Test func `values nest 512 deep, and no deeper`() throws {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      func nested(_ depth: Int) -> Data {
        Data(
          (String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth))
            .utf8)
      }
      #expect(throws: Never.self) { try JSONReader().decode(Tree.self, from: nested(512)) }
      #expect(throws: DecodingError.self) { try JSONReader().decode(Tree.self, from: nested(513)) }
      #expect(throws: DecodingError.self) {
        try JSONReader().decode(Tree.self, from: nested(1_000_000))
      }
    }
  }

  @Test func `a cut document is refused, wherever it is cut`() throws {
    let text = #"{"a":[1,-2.5e+3,"x\u00e9\ud83d\ude00é東😀",true,false,null,{}],"b":{"c":[[]]}}"#
    for length in 0..<text.utf8.count {
      #expect(throws: DecodingError.self) {
        try JSONReader().decode(Tree.self, from: Data(text.utf8.prefix(length)))
      }
    }
    #expect(throws: Never.self) { try JSONReader().decode(Tree.self, from: Data(text.utf8)) }
  }
}
