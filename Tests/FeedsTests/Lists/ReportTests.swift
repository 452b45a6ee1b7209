import Foundation
import ResourceFeeds
import ResourceLoading
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct ReportTests {
  private let now = Date.unix(1_795_262_400)
  private let url = URL(known: "https://example.org/feed")

  @Test func `the document has what is known of feeds and items`() throws {
    let results = [
      FeedResult(
        feed: KeptFeed(url: url, title: "T", added: now, read: now),
        change: .init(new: 2, changed: 1)),
      FeedResult(
        feed: KeptFeed(url: url, added: now), failure: LoadError(.connection, "gone\u{202E}")),
    ]
    let item = Feed.Item(id: "1", title: "One", link: url, published: now)

    let text = try Report(results, [.kept(item)]).text()

    let document = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    #expect(document["offline"]?.bool == false)
    let feeds = document["feeds"]
    #expect(feeds?[0]?["title"]?.string == "T" && feeds?[0]?["new"]?.integer == 2)
    #expect(feeds?[0]?["changed"]?.integer == 1)
    #expect(feeds?[0]?["read"]?.string == "2026-11-21T12:00:00Z")
    #expect(feeds?[1]?["error"]?.string?.contains("gone") == true)
    let listed = document["items"]?[0]
    #expect(listed?["identity"]?.string == "1" && listed?["title"]?.string == "One")
    #expect(listed?["link"]?.string == url.absoluteString)
    #expect(listed?["date"]?.string == "2026-11-21T12:00:00Z")
    #expect(!text.unicodeScalars.contains("\u{202E}"))
  }

  @Test func `a run is offline if no server answers and every feed is kept`() {
    let kept = KeptFeed(url: url, added: now, read: now)
    let new = KeptFeed(url: url, added: now)
    let lost = LoadError(.connection, "gone")

    #expect([FeedResult(feed: kept, failure: lost), FeedResult(offline: kept)].isOffline)
    #expect(![FeedResult(feed: kept, failure: lost), FeedResult(offline: new)].isOffline)
    #expect(![FeedResult(feed: kept, failure: LoadError(.status, "500"))].isOffline)
    #expect(![FeedResult(feed: kept, change: .init(), failure: lost)].isOffline)
    #expect(![FeedResult]().isOffline)
  }

  @Test(arguments: [
    (0, 0, "Nothing new"), (0, 2, "Nothing new, 2 changed"), (1, 0, "1 new item"),
    (3, 1, "3 new items, 1 changed"),
  ])
  func `a line summarises the changes`(_ new: Int, _ changed: Int, _ text: String) {
    let results = [
      FeedResult(feed: .new("https://a.example/"), change: .init(new: new, changed: changed)),
      FeedResult(feed: .new("https://b.example/")),
    ]

    #expect(results.changes == text)
  }
}
