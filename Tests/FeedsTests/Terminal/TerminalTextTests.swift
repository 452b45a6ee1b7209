import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct TerminalTextTests {
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
