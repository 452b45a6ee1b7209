import Foundation
import ResourcePrimitives
import Testing

/// What the library does in place of functions of Foundation, compared with them.
struct TextWithoutFoundationTests {
  private static func texts(of pieces: [String], _ seed: UInt64) -> [String] {
    var state = seed
    func next(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    return (0..<2000).map { _ in
      (0..<next(below: 8)).map { _ in pieces[next(below: pieces.count)] }.joined()
    }
  }

  @Test func `escapes are decoded as by Foundation`() {
    let pieces = [
      "%", "%4", "%41", "%c3", "%c3%A9", "%00", "%ff", "%zz", "é", "a", "/", "+", "%25",
    ]
    for text in Self.texts(of: pieces, 1) {
      let expected = text.removingPercentEncoding
      #expect(text.percentDecoded == expected, "\(text)")
      #expect(Substring(text).percentDecoded == expected, "\(text)")
    }
  }

  @Test func `a text of ASCII includes what Foundation finds in it`() {
    for text in Self.texts(of: ["a", "b", "ab", ":", "-"], 2) {
      for part in ["a", "ab", "aab", "abab", "a:-"] {
        #expect(text.includes(part) == text.contains(part), "\(part) in \(text)")
        let range = text.range(of: part)
        let cut = text.cut(atText: part)
        #expect(cut?.before == range.map { text[..<$0.lowerBound] })
        #expect(cut?.behind == range.map { text[$0.upperBound...] })
      }
    }
  }

  @Test func `a delimiter before a combining accent is found`() {
    #expect("a:\u{301}b".includes(":"))
    #expect("a://\u{301}b".cut(atText: "://")?.before == "a")
  }

  @Test func `a byte that continues no character isn't decoded, other than by Foundation`() {
    #expect("%A9".percentDecoded == nil)
    #expect("%41%A9".percentDecoded == nil)
  }

  @Test func `an empty text includes nothing`() {
    #expect(!"".includes("a"))
    #expect("".cut(atText: "a") == nil)
  }

  @Test func `white space is trimmed as by Foundation`() {
    let pieces = [" ", "\t", "\n", "\r\n", "\u{A0}", "\u{2003}", "\u{3000}", "\u{2028}", "a", "é"]
    for text in Self.texts(of: pieces, 3) {
      let expected = text.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(text.trimmingWhitespace() == expected, "\(Array(text.unicodeScalars))")
    }
  }
}
