import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceInspector

@Suite(.inTurn, .timeLimit(.minutes(15))) struct TableSourcesTests {
  private let sources = TableSources(LoadLog(limit: 10), patience: .seconds(10))

  private final class Shown: Sendable {}

  @Test func `nothing is kept alive, and what is gone has no table`() async {
    let kept = Shown()
    weak var released: Shown?
    do {
      let object = Shown()
      released = object
      sources.add(object, title: "Released", "") { _, _ in .init(note: "") }
    }
    sources.add(kept, title: "Kept", "") { _, _ in .init(note: "") }

    #expect(released == nil)
    #expect(await sources.tables().map(\.title) == ["Kept"])
    withExtendedLifetime(kept) {}
  }

  @Test func `the names of secrets of all loads are known, also of those that aren't recorded`()
    async
  {
    let log = LoadLog(limit: 1)
    let sources = TableSources(log)
    let request = Request.get("https://example.org/a")
    for load in 1...2_000 as ClosedRange<UInt64> {
      log.note(event(0, .started(request), load: load))
    }
    var secret = request
    secret.options.secretNames = ["voucher"]
    log.note(event(0, .started(secret), load: 2_001))
    let shown = Shown()
    sources.add(shown, title: "Shown", "") { _, context in
      .init(note: "\(context.secretNames) \(context.urls().count)")
    }

    #expect(await sources.tables().map(\.note) == [#"["voucher"] 1"#])
    withExtendedLifetime(shown) {}
  }

  @Test func `an object that is shown again changes its name`() async {
    let cache = HTTPCache(.memory())
    sources.add(cache, title: "Cache", "one") { _, _ in .init(note: "") }
    sources.add(cache, title: "Cache", "two") { _, _ in .init(note: "") }

    #expect(await sources.tables().map(\.title) == ["Cache: two"])
  }

  @Test func `an object that doesn't answer holds up nothing`() async throws {
    let (slow, quick) = (Shown(), Shown())
    let gate = Gate()
    sources.add(slow, title: "Slow", "") { _, _ in
      try await gate.opened()
      return .init(note: "late")
    }
    sources.add(quick, title: "Quick", "") { _, _ in .init(note: "here") }

    #expect(await sources.tables().map(\.note) == ["It hasn't answered yet.", "here"])
    gate.open()
    withExtendedLifetime((slow, quick)) {}
  }

  @Test func `a page is told only what has changed, and reads one at a time`() async throws {
    let object = Shown()
    let (reads, gate) = (Events(), Gate())
    sources.add(object, title: "Shown", "") { _, _ in
      reads.note("read")
      try await gate.opened()
      return .init(note: "unchanged")
    }
    var feed = TableFeed(sources)
    let start = ContinuousClock.now

    #expect(reads.all == [])
    #expect(feed.next(at: start) == nil)
    #expect(feed.next(at: start + .milliseconds(250)) == nil)
    #expect(feed.next(at: start + .seconds(10))?.first?.note == "It hasn't answered yet.")
    #expect(feed.next(at: start + .seconds(60)) == nil)
    #expect(feed.next(at: start + .seconds(120)) == nil)
    gate.open()
    var tables: [InspectedTable]?
    while tables == nil {
      tables = feed.next(at: start + .seconds(121))
      await Task.yield()
    }
    #expect(tables?.map(\.note) == ["unchanged"])
    #expect(reads.all == ["read"])

    #expect(feed.next(at: start + .seconds(122)) == nil)
    while reads.all.count < 2 { await Task.yield() }
    #expect(feed.next(at: start + .seconds(122.5)) == nil)
    withExtendedLifetime(object) {}
  }
}
