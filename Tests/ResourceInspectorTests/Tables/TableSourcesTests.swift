import Foundation
import ResourceCache
import ResourceLoading
import ResourceTesting
import TestSupport
import Testing

@testable import ResourceInspector

@Suite(.inTurn, .timeLimit(.minutes(15))) struct TableSourcesTests {
  private let sources = TableSources(LoadLog(limit: 10), patience: .seconds(10))

  @Test func `nothing is kept alive, and what is gone has no table`() async {
    let kept = Shown()
    weak var released: Shown?
    do {
      let object = Shown()
      released = object
      sources.add(object, "released")
    }
    sources.add(kept, "kept")

    #expect(released == nil)
    #expect(await sources.tables().map(\.title) == ["Shown: kept"])
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
    let shown = Shown { "\($0.secretNames) \($0.urls().count)" }
    sources.add(shown, "")

    #expect(await sources.tables().map(\.note) == [#"["voucher"] 1"#])
    withExtendedLifetime(shown) {}
  }

  @Test func `an object that is shown again changes its name`() async {
    let cache = HTTPCache(.memory())
    sources.add(cache, "one")
    sources.add(cache, "two")

    #expect(await sources.tables().map(\.title) == ["Cache: two"])
  }

  @Test func `an object that doesn't answer holds up nothing`() async throws {
    let gate = Gate()
    let slow = Shown { _ in
      try await gate.opened()
      return "late"
    }
    let quick = Shown { _ in "here" }
    sources.add(slow, "slow")
    sources.add(quick, "quick")

    #expect(await sources.tables().map(\.note) == ["It hasn't answered yet.", "here"])
    gate.open()
    withExtendedLifetime((slow, quick)) {}
  }

  @Test func `a page is told only what has changed, and reads one at a time`() async throws {
    let (reads, gate) = (Events(), Gate())
    let object = Shown { _ in
      reads.note("read")
      try await gate.opened()
      return "unchanged"
    }
    sources.add(object, "")
    var feed = TableFeed(sources)
    let start = ContinuousClock.now

    #expect(reads.all == [])
    #expect(feed.next(at: start) == nil)
    #expect(feed.next(at: start + .milliseconds(250)) == nil)
    #expect(feed.next(at: start + .seconds(10))?.first?.note == "It hasn't answered yet.")
    #expect(feed.next(at: start + .seconds(60)) == nil)
    #expect(feed.next(at: start + .seconds(120)) == nil)
    gate.open()
    var tables: [ShownTable]?
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
