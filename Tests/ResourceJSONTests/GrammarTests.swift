import Foundation
import ResourceJSON
import Testing

/// The grammar of RFC 8259, in the cases that parsing suites have.
struct GrammarTests {
  @Test(arguments: [
    "[[]   ]", "[\"\"]", "[]", "[\"a\"]", "[false]", "[null, 1, \"1\", {}]", "[null]", "[1\n]",
    " [1]",
    "[1,null,null,null,2]", "[2] ", "[123e65]", "[0e+1]", "[0e1]", "[ 4]",
    "[-0.000000000000000000000000000000000000000000000000000000000000000000000000000001]",
    "[20e1]", "[-0]", "[-123]", "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]",
    "[1e-2]", "[1e+2]",
    "[123]", "[123.456789]", "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}", "{\"asd\":\"sdf\"}",
    "{\"a\":\"b\",\"a\":\"c\"}",
    "{\"a\":\"b\",\"a\":\"b\"}", "{}", "{\"\":0}", "{\"foo\\u0000bar\": 42}",
    "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }",
    "{\"x\":[{\"id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}], \"id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}",
    "{\"a\":[]}", "{\"title\":\"\\u041f\\u043e\\u043b\" }", "{\n\"a\": \"b\"\n}",
    "[\"\\u0060\\u012a\\u12AB\"]", "[\"\\uD801\\udc37\"]", "[\"\\ud83d\\ude39\\ud83d\\udc8d\"]",
    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
    "[\"\\\\u0000\"]", "[\"\\\"\"]", "[\"a/*b*/c/*d//e\"]", "[\"\\\\a\"]", "[\"\\\\n\"]",
    "[\"\\u0012\"]", "[\"\\uFFFF\"]",
    "[\"asd\"]", "[ \"asd\"]", "[\"\\uDBFF\\uDFFF\"]", "[\"new\\u00A0line\"]", "[\"\u{10FFFF}\"]",
    "[\"\u{FFFF}\"]",
    "[\"\\u0000\"]", "[\"\\u002c\"]", "[\"π\"]", "[\"\u{1BFFF}\"]", "[\"asd \"]", "\" \"",
    "[\"\\uD834\\uDd1e\"]",
    "[\"\\u0821\"]", "[\"\\u0123\"]", "[\"\u{2028}\"]", "[\"\u{2029}\"]",
    "[\"\\u0061\\u30af\\u30EA\\u30b9\"]", "[\"new\\u000Aline\"]",
    "[\"\u{7F}\"]", "[\"\\uA66D\"]", "[\"\\u005C\"]", "[\"⍂㈴⍂\"]", "[\"\\uDBFF\\uDFFE\"]",
    "[\"\\uD83F\\uDFFE\"]",
    "[\"\\u200B\"]", "[\"\\u2064\"]", "[\"\\uFDD0\"]", "[\"\\uFFFE\"]", "[\"\\u0022\"]", "[\"€𝄞\"]",
    "[\"a\u{7F}a\"]",
    "false", "42", "-0.1", "null", "\"asd\"", "true", "\"\"", "[\"a\"]\n", "[true]", " [] ",
    "\u{FEFF}[]", "\u{FEFF}{}",
  ])
  func `text that follows the grammar is accepted, with JSONDecoder's value`(text: String) throws {
    let data = Data(text.utf8)

    let value = try JSONReader().decode(Tree.self, from: data)

    // Foundation refuses 0 with an exponent.
    let foundation = try? JSONDecoder().decode(Tree.self, from: data)
    #expect(value == foundation || text.contains("[0e"))
  }

  @Test(arguments: [
    "[1 true]", "[\"\": 1]", "[\"\"],", "[,1]", "[1,,2]", "[\"x\",,]", "[\"x\"]]", "[\"\",]",
    "[\"x\"", "[x", "[3[4]]", "[,]",
    "[-]", "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]", "[1,,]", "[\"\u{B}a\"\\f]", "[*]", "[\"\"",
    "[1,", "[1,\n1\n,1", "[{}",
    "[fals]", "[nul]", "[tru]", "123\u{0}", "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]",
    "[-2.]", "[-NaN]", "[.-1]", "[.2e-3]",
    "[0.1.2]", "[0.3e+]", "[0.3e]", "[0.e1]", "[0E+]", "[0E]", "[0e+]", "[0e]", "[1.0e+]",
    "[1.0e-]", "[1.0e]", "[1 000.0]",
    "[1eE2]", "[2.e+3]", "[2.e-3]", "[2.e3]", "[9.e+]", "[Inf]", "[NaN]", "[１]", "[1+2]", "[0x1]",
    "[0x42]", "[Infinity]",
    "[0e+-1]", "[-123.123foo]", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]", "[-1x]",
    "[1ea]", "[1.]", "[.123]",
    "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", "[\"x\", truth]", "{[: \"x\"}\n",
    "{\"x\", null}", "{\"x\"::\"b\"}", "{🇨🇭}",
    "{\"a\":\"a\" 123}", "{key: 'value'}", "{\"a\" b}", "{:\"b\"}", "{\"a\" \"b\"}", "{\"a\":",
    "{\"a\"", "{1:1}",
    "{9999E9999:1}", "{null:null,null:null}", "{\"id\":0,,,,,}", "{'a':0}", "{\"id\":0,}",
    "{\"a\":\"b\"}/**/", "{\"a\":\"b\"}/**//",
    "{\"a\":\"b\"}//", "{\"a\":\"b\"}/", "{\"a\":\"b\",,\"c\":\"d\"}", "{a: \"b\"}", "{\"a\":\"a",
    "{ \"foo\" : \"bar\", \"a\" }",
    "{\"a\":\"b\"}#", " ", "[\"\\uD800\\\"]", "[\"\\uD800\\u\"]", "[\"\\uD800\\u1\"]",
    "[\"\\uD800\\u1x\"]", "[é]", "[\"\\\u{0}\"]",
    "[\"\\x00\"]", "[\"\\\\\\\"]", "[\"\\\t\"]", "[\"\\🌀\"]", "[\"\\\"]", "[\"\\u00A\"]",
    "[\"\\uD834\\uDd\"]", "[\"\\uD800\\uD800\\x\"]",
    "[\"\\a\"]", "[\"\\uqqqq\"]", "[\\u0020\"asd\"]", "[\\n]", "\"", "['single quote']", "abc",
    "[\"\\", "[\"a\u{0}a\"]",
    "[\"new\nline\"]", "[\"\t\"]", "\"\\UA66D\"", "\"\"x", "[\u{2060}]", "\u{2060}", "<.>",
    "[<null>]", "[1]x", "[1]]", "[\"asd]", "aå",
    "[True]", "1]", "{\"x\": true,", "[][]", "]", "[", "", "[\u{0}", "2@", "{}}", "{\"\":",
    "{\"a\":/*comment*/\"b\"}",
    "{\"a\": true} \"x\"", "['", "[,", "[{", "[\"a", "[\"a\"", "{", "{]", "{,", "{[", "{\"a",
    "{'a'", "[\"\\{[\"\\{[\"\\{[\"\\{",
    "*", "{\"a\":\"b\"}#{}", "[\\u000A\"\"]", "[1", "[ false, nul", "[ true, fals", "[ false, tru",
    "{\"asd\":\"asd\"", "å",
    "[\u{C}]", "[\u{A0}]", "[nulll]", "[truefalse]", "[1 2]", "[1\u{0}]", "{\"a\":1 \"b\":2}",
    "\u{FEFF}", "\u{FEFF}\u{FEFF}[]",
    "[\"\\uDC00\"]", "[\"\\uD800\"]", "[\"\\uD800\\uD800\"]", "[\"\\uD800x\"]", "{\"\\uDFAA\":0}",
  ])
  func `text that breaks the grammar is refused, with its place`(text: String) throws {
    let error = try #require(throws: DecodingError.self) {
      try JSONReader().decode(Tree.self, from: Data(text.utf8))
    }

    guard case .dataCorrupted(let context) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(context.codingPath.isEmpty)
    let syntax = try #require(context.underlyingError as? JSONSyntaxError)
    #expect(syntax.place.offset <= text.utf8.count)
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
