import Foundation
import ResourceFeeds
import ResourceTesting
import TestSupport
import Testing

@Suite(.inTurn)
struct PlainTextTests {
  @Test(arguments: [
    ("one  two\n\tthree", "one two three"), ("\u{1B}[31mred\u{07}", "[31mred"),
    ("a\u{202E}b\u{FEFF}", "ab"), (" \u{0} ", nil), ("", nil), ("a\u{9B}31m", "a›31m"),
  ])
  func `control characters are removed`(_ text: String, _ expected: String?) {
    #expect(PlainText.line(text) == expected)
  }

  @Test func `plain text that is escaped as HTML is read back unchanged`() {
    var random = SeededGenerator(seed: 11)
    let pieces = [
      "<", ">", "&", "&amp;", "\"", "'", "<!--", "-->", "<b>", "</script>", "a", "é", "1", ";",
    ]

    for _ in 0..<500 {
      let count = Int.random(in: 0...20, using: &random)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()

      #expect(PlainText.line(ofHTML: Feed.Text(plain: text).html) == PlainText.line(text))
    }
  }

  @Test(arguments: [
    ("<!-- x > y -->a", "a"), ("<a title='1 > 2' b=\"x>\">c</a>", "c"),
    ("it's <b>o'clock</b>", "it's o'clock"),
    ("a<style>p > b {}</style>c", "ac"), ("<SCRIPT>if (a < b) {}</script >d", "d"),
    ("a<script>b", "ab"), ("a <b c", "a <b c"), ("<!-- a", "<!-- a"), ("<!doctype html>a", "a"),
    ("<?php x ?>a", "a"), ("<a b=\">c", "c"),
    ("&#x41;&#65;&#+65;", "AA&#+65;"),
  ])
  func `tags, comments and scripts aren't text`(_ html: String, _ expected: String) {
    #expect(PlainText.line(ofHTML: html) == expected)
  }

  @Test(arguments: [
    ("<b>bold</b> &amp; more", "bold & more"), ("1 < 2 &lt; 3", "1 < 2 < 3"),
    ("&#8212;&#x2014;&mdash;", "———"),
    ("&bogus; &#xD800; &#99999999;", "&bogus; &#xD800; &#99999999;"),
    ("AT&T", "AT&T"), ("<p></p>", nil), ("&#27;[2J", "[2J"),
  ])
  func `HTML is converted to text`(_ html: String, _ expected: String?) {
    #expect(PlainText.line(ofHTML: html) == expected)
  }

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
}
