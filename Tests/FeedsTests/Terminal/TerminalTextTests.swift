import Foundation
import ResourceFeeds
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct TerminalTextTests {
  @Test(arguments: [
    "\u{200E}", "\u{061C}", "\u{E0041}", "\u{202E}", "\u{2069}", "\u{9B}", "\u{1B}",
  ])
  func `lines and documents contain no control characters`(_ mark: String)
    throws
  {
    let json = PlainText.escapedJSON("[\"a\(mark)b\"]")

    #expect(PlainText.visible(" a\(mark)b ") == " ab ")
    #expect(!json.unicodeScalars.contains { mark.unicodeScalars.contains($0) })
    #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == ["a\(mark)b"])
  }

  @Test func `escaped JSON is the same document without control characters`() throws {
    let text = "a\u{1B}[2J\u{9B}31m\u{202E}\n\u{7F}é"
    let document = String(decoding: try JSONEncoder().encode([text]), as: UTF8.self)

    let escaped = PlainText.escapedJSON(document)

    #expect(escaped.unicodeScalars.allSatisfy { (0x20..<0x7F).contains($0.value) || $0 == "é" })
    #expect(try JSONDecoder().decode([String].self, from: Data(escaped.utf8)) == [text])
  }

  @Test(arguments: [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 5, "日本…"), ("日本", 3, "日…")])
  func `a long text ends in an ellipsis`(_ text: String, _ width: Int, _ expected: String) {
    #expect(text.truncated(to: width) == expected)
    #expect(expected.columns <= width)
  }

  @Test(arguments: [
    ("🍎", 2), ("👩‍🌾", 2), ("🇯🇵", 2), ("⌚", 2), ("❤️", 2), ("❤", 1), ("é", 1), ("e\u{301}", 1),
    ("\u{200B}", 0), ("한", 2), ("ｱ", 1), ("Ａ", 2), ("☃", 1),
  ])
  func `a character takes as many columns as a terminal gives it`(_ text: String, _ columns: Int) {
    #expect(text.columns == columns)
  }

  @Test func `a word longer than the line is broken`() {
    #expect("ab cdefgh i".wrapped(to: 3) == ["ab", "cde", "fgh", "i"])
    #expect("".wrapped(to: 3).isEmpty)
  }
}
