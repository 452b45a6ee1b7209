import Foundation
import ResourceFeeds
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LibraryTests {
  private let feed = KeptFeed.new("https://a.example/feed")
  private let other = KeptFeed.new("https://b.example/feed")
  private let now = Date.unix(1_800_000_000)
  private let library: Library

  init() async throws { library = try await Library(Library.memory) }

  private func item(_ id: String, _ title: String = "T", at time: Double? = nil) -> Feed.Item {
    Feed.Item(id: id, title: title, published: time.map { .unix($0) })
  }

  private func keep(
    _ items: [Feed.Item], of feed: KeptFeed? = nil, after seconds: Double = 0
  ) async throws -> Library.Change {
    try await library.keep(
      Feed(title: "A", items: items), from: (feed ?? self.feed).url, now: now + seconds)
  }

  private func ids(limit: Int = 20) async throws -> [String] {
    try await library.items(of: [feed, other], limit: limit).map(\.identity)
  }

  @Test func `a further reading counts new and changed items, and keeps the first dates`()
    async throws
  {
    let first = [item("1"), item("2")]
    let second = [item("3"), item("2", "otherwise")]

    #expect(try await keep(first) == .init(new: 2, changed: 0))
    #expect(try await keep(first, after: 60) == .init())
    #expect(try await keep(second, after: 120) == .init(new: 1, changed: 1))

    let items = try await library.items(of: [feed], limit: 20)
    #expect(items.map(\.identity) == ["3", "1", "2"])
    #expect(items.last?.title == "otherwise" && items.last?.firstRead == now)
    let feeds = try await library.feeds()
    #expect(feeds.map(\.added) == [now])
    #expect(feeds.map(\.read) == [now + 120])
  }

  @Test func `the newest come first, and undated items count from their first reading`()
    async throws
  {
    _ = try await keep([item("old", at: 1), item("new", at: 3), item("mid", at: 2)])
    _ = try await keep([item("y"), item("x")], after: 9)

    #expect(try await ids() == ["y", "x", "new", "mid", "old"])
    #expect(try await ids(limit: 2) == ["y", "x"])
  }

  @Test func `a date in the future doesn't keep an item on top`() async throws {
    let far = item("far", at: 4_000_000_000)
    _ = try await keep([far])

    _ = try await keep([far, item("next", at: now.timeIntervalSince1970 + 60)], after: 120)

    #expect(try await ids() == ["next", "far"])
  }

  @Test func `an item that two feeds have is listed once, and the limit is filled`() async throws {
    let shared = (1...4).map { item("urn:\($0)", at: Double($0)) }
    _ = try await keep(shared)
    _ = try await keep(shared + [item("7", at: 0)], of: other)

    #expect(try await ids(limit: 3) == ["urn:4", "urn:3", "urn:2"])
    #expect(try await ids() == ["urn:4", "urn:3", "urn:2", "urn:1", "7"])
    #expect(try await library.items(of: [], limit: 9).isEmpty)
  }

  @Test func `an item without a title is listed with the beginning of its text`() {
    let text = Feed.Text(html: "<p>Frost &amp; fog\n tonight</p>")

    #expect(KeptItem.kept(Feed.Item(content: text)).heading == "Frost & fog tonight")
    #expect(KeptItem.kept(Feed.Item()).heading == "(without a title)")
  }

  @Test func `long names are cut`() {
    let title = String(repeating: "very long ", count: 3000)
    var feed = feed
    feed.title = title

    #expect(feed.name.count <= 100)
    #expect(KeptItem.kept(Feed.Item(title: title)).heading.count <= 300)
  }
}
