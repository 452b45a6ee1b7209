import Foundation
import ResourceFeeds
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct ItemListTests {
  private let item = KeptItem.kept(
    Feed.Item(
      title: "Where to look for the Leonids, and why before dawn",
      link: URL(known: "https://nightsky.example/2026/46"), published: .unix(1_795_151_400)))

  private func lines(
    _ item: KeptItem, of feed: String = "Night Sky Weekly"
  ) throws -> [String] {
    let recorder = Recorder()
    let utc = try #require(TimeZone(identifier: "UTC"))
    ItemList(output: recorder.channel(), names: [item.feed: feed], timeZone: utc).write([item])
    return recorder.lines
  }

  @Test func `an item is its date and title, and below them feed and link`() throws {
    #expect(
      try lines(item) == [
        "2026-11-20  Where to look for the Leonids, and why before dawn",
        "            Night Sky Weekly · https://nightsky.example/2026/46",
        "",
      ])
  }

  @Test(arguments: ["javascript:alert(1)", "file:///etc/passwd"])
  func `a link from an older library is only shown if it is http or https`(_ link: String)
    throws
  {
    var kept = KeptItem.kept(Feed.Item(title: "T"))
    kept.link = URL(string: link)
    kept.enclosures = [Feed.Enclosure(url: try #require(kept.link))]

    let document = try JSONDocument(results: [], items: [kept], now: .unix(0)).text()

    #expect(try lines(kept, of: "F")[1] == "            F")
    #expect(!document.contains(link))
  }

  @Test func `a long title is cut`() throws {
    let title = String(repeating: "very long ", count: 3000)
    var feed = KeptFeed.new("https://a.example/")
    feed.title = title

    let lines = try lines(.kept(Feed.Item(title: title)))

    #expect(lines[0].count < 320)
    #expect(feed.name.count <= 100)
  }

  @Test func `an item without a title is listed with the beginning of its text`() throws {
    let item = KeptItem.kept(
      Feed.Item(content: Feed.Text(html: "<p>Frost &amp; fog\n tonight</p>")))

    #expect(try lines(item).first == "no date     Frost & fog tonight")
  }
}

@Suite(.inTurn)
struct AgeTests {
  private static let phrases: [String: [Double]] = [
    "read just now": [0], "read 1 minute ago": [60], "read 59 minutes ago": [3599],
    "read 2 hours ago": [7200], "read 3 days ago": [86_400 * 3 + 5], "never read": [],
    "read between 3 days ago and 2 hours ago": [7200, 86_400 * 3],
    "read between 1 hour ago and now": [-5, 3600],
  ]

  @Test(arguments: phrases)
  func `an age is given in the largest unit`(_ phrase: String, _ ages: [Double]) {
    let now = Date.unix(1_800_000_000)

    #expect(Age.phrase(ages.map { now - $0 }, now: now) == phrase)
  }
}
