import Foundation
import ResourceFeeds
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct ListingTests {
  private let item = ListedItem(
    feed: "Night Sky Weekly",
    item: .kept(
      Feed.Item(
        title: "Where to look for the Leonids, and why before dawn",
        link: URL(known: "https://nightsky.example/2026/46"), published: .unix(1_795_151_400))))

  private func lines(_ items: [ListedItem], width: Int, hasColour: Bool = false) throws -> [String]
  {
    let recorder = Recorder()
    let utc = try #require(TimeZone(identifier: "UTC"))
    let output = recorder.channel(width: width, hasColour: hasColour)
    ItemListing(output: output, timeZone: utc).write(items)
    return recorder.lines
  }

  @Test func `a wide line holds feed and link together`() throws {
    #expect(
      try lines([item], width: 80) == [
        "2026-11-20  Where to look for the Leonids, and why before dawn",
        "            Night Sky Weekly · https://nightsky.example/2026/46",
        "",
      ])
  }

  @Test func `a title is wrapped and a link is never broken`() throws {
    #expect(
      try lines([item], width: 44) == [
        "2026-11-20  Where to look for the Leonids,",
        "            and why before dawn",
        "            Night Sky Weekly",
        "            https://nightsky.example/2026/46",
        "",
      ])
  }

  @Test func `a narrow window has the date on a line of its own`() throws {
    #expect(
      try lines([item], width: 24) == [
        "2026-11-20",
        "  Where to look for the",
        "  Leonids, and why",
        "  before dawn",
        "  Night Sky Weekly",
        "  https://nightsky.example/2026/46",
        "",
      ])
  }

  @Test func `colour is only where it is wanted`() throws {
    #expect(try !lines([item], width: 80).joined().contains("\u{1B}"))
    #expect(try lines([item], width: 80, hasColour: true).joined().contains("\u{1B}[1mWhere"))
  }

  @Test func `wide characters take two columns`() throws {
    let item = ListedItem(feed: "果樹園", item: .kept(Feed.Item(title: "りんごとりんごの木と果樹園の話")))

    let lines = try lines([item], width: 40)

    #expect(lines == ["no date     りんごとりんごの木と果樹園の", "            話", "            果樹園", ""])
    #expect(lines.allSatisfy { $0.columns <= 40 })
  }

  @Test(arguments: ["javascript:alert(1)", "file:///etc/passwd"])
  func `a link that an older program kept is shown only if it is http or https`(_ link: String)
    throws
  {
    var kept = KeptItem.kept(Feed.Item(title: "T"))
    kept.link = URL(string: link)
    kept.enclosures = [Feed.Enclosure(url: try #require(kept.link))]

    let document = try JSONDocument(results: [], items: [kept], now: .unix(0)).text()

    #expect(try lines([ListedItem(feed: "F", item: kept)], width: 80)[1] == "            F")
    #expect(!document.contains(link))
  }

  @Test func `a long title fills no more than a few lines`() throws {
    let title = String(repeating: "very long ", count: 3000)
    let feed = Feed(title: title, items: [Feed.Item(title: title)])
    let item = ListedItem(feed: "F", item: .kept(feed.items[0]))

    let lines = try lines([item], width: 80)

    #expect(lines.count < 8)
    #expect(Reading(source: Source(URL(known: "https://a.example/")), feed: feed).name.count <= 100)
  }

  @Test func `an item without a title shows the beginning of its text`() throws {
    let item = ListedItem(
      feed: "F",
      item: .kept(Feed.Item(content: Feed.Text(html: "<p>Frost &amp; fog\n tonight</p>"))))

    #expect(try lines([item], width: 80).first == "no date     Frost & fog tonight")
  }
}

@Suite(.inTurn)
struct TerminalTextTests {
  @Test(arguments: [
    "\u{200E}", "\u{061C}", "\u{E0041}", "\u{202E}", "\u{2069}", "\u{9B}", "\u{1B}",
  ])
  func `a line and a document have nothing in them that a terminal would obey`(_ mark: String)
    throws
  {
    let json = PlainText.escapedJSON("[\"a\(mark)b\"]")

    #expect(PlainText.visible(" a\(mark)b ") == " ab ")
    #expect(!json.unicodeScalars.contains { mark.unicodeScalars.contains($0) })
    #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == ["a\(mark)b"])
  }

  @Test func `JSON stays the same document without what a terminal would obey`() throws {
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
