import Foundation
import ResourceFeeds
import ResourceLoading
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn)
struct JSONDocumentTests {
  private let now = Date.unix(1_795_262_400)
  private let url = URL(known: "https://example.org/feed")

  private func document(_ results: [FeedResult], _ items: [KeptItem] = []) throws -> JSONValue {
    let text = try JSONDocument(results: results, items: items, now: now).text()
    return try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  private func names(_ value: JSONValue?) -> Set<String> {
    guard case .object(let members) = value else { return [] }
    return Set(members.keys)
  }

  @Test func `every member of the JSON document is always there`() throws {
    var full = Feed.Item(
      id: "1", title: "T", link: url, authors: [Feed.Person(name: "A")], published: now)
    full.enclosures = [Feed.Enclosure(url: url)]
    let result = FeedResult(
      feed: KeptFeed(url: url, added: now), failure: LoadError(.connection, "gone"))

    let document = try document([result], [.kept(full), .kept(Feed.Item())])

    #expect(names(document) == ["version", "generated", "offline", "feeds", "items"])
    #expect(document["version"]?.integer == 1)
    #expect(document["generated"]?.string == "2026-11-21T12:00:00Z")
    let feed = document["feeds"]?[0]
    #expect(
      names(feed) == ["url", "title", "link", "read", "state", "new", "changed", "error"])
    #expect(names(feed?["error"]) == ["kind", "reason", "advice", "status", "serverMessage"])
    let members: Set = [
      "feed", "id", "title", "link", "authors", "published", "updated", "summary", "content",
      "categories", "enclosures", "firstRead", "new",
    ]
    #expect(names(document["items"]?[0]) == members)
    #expect(names(document["items"]?[1]) == members)
    #expect(names(document["items"]?[0]?["enclosures"]?[0]) == ["url", "type", "length"])
    for name in members { #expect(Help.text.contains(name), "\(name) isn't in the manual") }
  }

  @Test func `a feed's state names the origin of its listed items`() throws {
    let kept = KeptFeed(url: url, title: "T", link: nil, added: now, read: now)
    let lost = LoadError(.connection, "gone")
    let results = [
      FeedResult(feed: kept, change: .init(new: 2, changed: 1)),
      FeedResult(feed: kept, failure: lost),
      FeedResult(feed: kept, isSkipped: true),
      FeedResult(feed: kept, failure: LoadError(.status, "the server is angry")),
      FeedResult(feed: KeptFeed(url: url, added: now), failure: lost),
      FeedResult(feed: kept, change: .init(), failure: lost),
    ]

    #expect(results.map(\.state) == [.fresh, .kept, .kept, .failed, .failed, .failed])
    #expect(try document(results)["offline"]?.bool == false)
    #expect(try document([results[1]])["offline"]?.bool == true)
    #expect(try document([])["offline"]?.bool == false)
  }
}
