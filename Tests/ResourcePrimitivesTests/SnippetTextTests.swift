import TestSupport
import Testing

@testable import ResourcePrimitives

@Suite(.inTurn)
struct SnippetTextTests {
  @Test(arguments: 0..<4) func `an excerpt begins and ends between characters`(shift: Int) {
    let text = String(repeating: "a", count: shift) + String(repeating: "😀", count: 40)

    let excerpt = Snippet.around(80, in: Array(text.utf8))

    #expect(!excerpt.contains("\u{FFFD}"))
    #expect(excerpt.hasPrefix("…😀") && excerpt.hasSuffix("😀…"))
  }

  @Test func `an excerpt of a short text is all of it`() {
    #expect(Snippet.around(99, in: Array("{\"a\":\n  1".utf8)) == "{\"a\": 1")
  }
}
