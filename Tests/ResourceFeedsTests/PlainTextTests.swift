import Foundation
import ResourceFeeds
import TestSupport
import Testing

@Suite(.inTurn)
struct PlainTextTests {
  @Test(arguments: [
    ("one  two\n\tthree", "one two three"), ("\u{1B}[31mred\u{07}", "[31mred"),
    ("a\u{202E}b\u{FEFF}", "ab"), (" \u{0} ", nil), ("", nil), ("a\u{9B}31m", "a›31m"),
  ])
  func `what a terminal would obey is left out`(_ text: String, _ expected: String?) {
    #expect(PlainText.line(text) == expected)
  }

  @Test(arguments: [
    ("<b>bold</b> &amp; more", "bold & more"), ("1 < 2 &lt; 3", "1 < 2 < 3"),
    ("&#8212;&#x2014;&mdash;", "———"),
    ("&bogus; &#xD800; &#99999999;", "&bogus; &#xD800; &#99999999;"),
    ("AT&T", "AT&T"), ("<p></p>", nil), ("&#27;[2J", "[2J"),
  ])
  func `HTML becomes text`(_ html: String, _ expected: String?) {
    #expect(PlainText.line(ofHTML: html) == expected)
  }
}
