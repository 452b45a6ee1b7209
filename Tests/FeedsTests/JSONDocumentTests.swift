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

  @Test func `every member is there, whether something is known or not`() throws {
    var full = Feed.Item(
      id: "1", title: "T", link: url, authors: [Feed.Person(name: "A")], published: now)
    full.enclosures = [Feed.Enclosure(url: url)]
    let result = FeedResult(source: Source(url), kept: nil, failure: LoadError(.connection, "gone"))

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

  @Test func `a feed's state tells how what is listed of it came to be`() throws {
    let kept = KeptFeed(url: url, title: "T", link: nil, added: now, read: now)
    let lost = LoadError(.connection, "gone")
    let results = [
      FeedResult(source: Source(url), kept: kept, change: .init(new: 2, changed: 1)),
      FeedResult(source: Source(url), kept: kept, failure: lost),
      FeedResult(source: Source(url), kept: kept, isSkipped: true),
      FeedResult(
        source: Source(url), kept: kept, failure: LoadError(.status, "the server is angry")),
      FeedResult(source: Source(url), kept: nil, failure: lost),
      FeedResult(source: Source(url), kept: kept, change: .init(), failure: lost),
    ]

    #expect(results.map(\.state) == [.fresh, .kept, .kept, .failed, .failed, .failed])
    #expect(try document(results)["offline"]?.bool == false)
    #expect(try document([results[1]])["offline"]?.bool == true)
    #expect(try document([])["offline"]?.bool == false)
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
  func `an age is told in the largest unit`(_ phrase: String, _ ages: [Double]) {
    let now = Date.unix(1_800_000_000)

    #expect(Age.phrase(ages.map { now - $0 }, now: now) == phrase)
  }
}

@Suite(.inTurn)
struct ChangeSummaryTests {
  @Test(arguments: [
    (0, 0, false, "Nothing new."), (0, 2, false, "Nothing new, 2 changed."),
    (1, 0, true, "1 new item:"), (3, 1, true, "3 new items, 1 changed:"),
    (3, 0, false, "3 new items, none of them among those asked for."),
  ])
  func `what has changed is told in a line`(
    _ new: Int, _ changed: Int, _ isListed: Bool, _ text: String
  ) {
    let results = [
      FeedResult(
        source: Source(URL(known: "https://a.example/")), kept: nil,
        change: .init(new: new, changed: changed)),
      FeedResult(source: Source(URL(known: "https://b.example/")), kept: nil),
    ]

    #expect(results.changes(areListed: isListed) == text)
  }
}
