import Foundation
import ResourceFeeds
import ResourceStore
import TestSupport
import Testing

@testable import feeds

@Suite(.inTurn, .timeLimit(.minutes(10)))
struct LibraryTests {
  private let url = URL(known: "https://a.example/feed")
  private let other = URL(known: "https://b.example/feed")
  private let now = Date.unix(1_800_000_000)

  private func item(_ id: String, _ title: String = "T", at time: Double? = nil) -> Feed.Item {
    Feed.Item(id: id, title: title, published: time.map { .unix($0) })
  }

  private func ids(_ library: Library, _ selection: Selection<KeptItem> = .newest()) async throws
    -> [String]
  {
    try await library.items(selection).map(\.identity)
  }

  @Test func `a further reading counts new and changed items`() async throws {
    let library = try await Library(Library.memory)
    let first = Feed(title: "A", items: [item("1"), item("2")])
    let second = Feed(title: "A", items: [item("3"), item("2", "otherwise")])

    #expect(try await library.keep(first, from: url, now: now) == .init(new: 2, changed: 0))
    #expect(try await library.keep(first, from: url, now: now + 60) == .init())
    #expect(
      try await library.keep(second, from: url, now: now + 120) == .init(new: 1, changed: 1))

    let items = try await library.items(.newest())
    #expect(Set(items.map(\.identity)) == ["1", "2", "3"])
    #expect(items.first { $0.identity == "2" }?.title == "otherwise")
    #expect(items.first { $0.identity == "2" }?.seen == now)
    let feeds = try await library.feeds()
    #expect(feeds.map(\.added) == [now])
    #expect(feeds.map(\.read) == [now + 120])
  }

  @Test func `the newest come first, and the undated last, as the document has them`() async throws
  {
    let library = try await Library(Library.memory)
    let items = [item("y"), item("old", at: 1), item("x"), item("new", at: 3), item("mid", at: 2)]

    _ = try await library.keep(Feed(items: items), from: url, now: now)

    #expect(try await ids(library) == ["new", "mid", "old", "y", "x"])
    #expect(try await ids(library, .newest(limit: 2)) == ["new", "mid"])
  }

  @Test func `an undated item that comes to a known feed is as new as its first reading`()
    async throws
  {
    let library = try await Library(Library.memory)
    _ = try await library.keep(Feed(items: [item("1", at: 5)]), from: url, now: now)

    _ = try await library.keep(Feed(items: [item("2"), item("1", at: 5)]), from: url, now: now + 9)

    #expect(try await ids(library) == ["2", "1"])
    #expect(try await library.items(.newest()).first?.listedDate == now + 9)
  }

  @Test func `a date in the future doesn't keep an item on top`() async throws {
    let library = try await Library(Library.memory)
    let far = item("far", at: 4_000_000_000)
    _ = try await library.keep(Feed(items: [far]), from: url, now: now)

    let later = Feed(items: [far, item("next", at: now.timeIntervalSince1970 + 60)])
    _ = try await library.keep(later, from: url, now: now + 120)

    #expect(try await ids(library) == ["next", "far"])
  }

  @Test func `items are chosen by feed`() async throws {
    let library = try await Library(Library.memory)
    let items = [item("1", at: 1), item("2", at: 2), item("3", at: 3), item("none")]
    _ = try await library.keep(Feed(items: items), from: url, now: now)
    _ = try await library.keep(Feed(items: [item("b", at: 2)]), from: other, now: now)

    #expect(try await ids(library, .newest(of: [other])) == ["b"])
    #expect(try await ids(library, .newest(of: [])) == [])
  }

  @Test func `an item that two feeds have is listed once, and the limit is filled`() async throws {
    let library = try await Library(Library.memory)
    let shared = (1...4).map { item("urn:\($0)", at: Double($0)) }
    _ = try await library.keep(Feed(items: shared), from: url, now: now)
    _ = try await library.keep(Feed(items: shared + [item("7", at: 0)]), from: other, now: now)

    #expect(try await ids(library, .newest(limit: 3)) == ["urn:4", "urn:3", "urn:2"])
    #expect(
      try await ids(library, .newest(limit: 9)) == ["urn:4", "urn:3", "urn:2", "urn:1", "7"])
  }

  @Test func `removing a feed removes its items`() async throws {
    let library = try await Library(Library.memory)
    _ = try await library.keep(Feed(title: "A", items: [item("1")]), from: url, now: now)
    _ = try await library.keep(Feed(title: "B", items: [item("2")]), from: other, now: now)

    try await library.remove(try await library.feeds().filter { $0.isCalled("a") })

    #expect(try await library.feeds().map(\.title) == ["B"])
    #expect(try await ids(library) == ["2"])
  }

  @Test func `the further pages of a first reading are as old as its first`() async throws {
    let library = try await Library(Library.memory)

    _ = try await library.keep(Feed(items: [item("1", at: 5)]), from: url, now: now)
    _ = try await library.keep(Feed(items: [item("1", at: 5), item("2")]), from: url, now: now)

    #expect(try await ids(library) == ["1", "2"])
  }
}
