import Foundation
import ResourceLoading
import ResourceTesting
import Testing

@testable import ResourceState

/// The longest durations, on a clock that has been running for a long time.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct DurationTests {
  nonisolated private static let huge = [
    Duration.seconds(Int64.max), .seconds(Int64.min), .seconds(1e19), .seconds(-1e19),
    .seconds(1.7e20), .seconds(-1.7e20), .zero, .nanoseconds(1), .seconds(-1),
  ]
  nonisolated private static let ages = [Duration.seconds(1), .seconds(400 * 365 * 86_400)]

  private let rig = Rig()

  private func rig(after age: Duration, _ change: (inout LiveOptions) -> Void) -> Rig {
    let rig = Rig(.with(change))
    rig.clock.advance(by: age)
    return rig
  }

  @Test(arguments: huge, ages)
  func `a grace time`(grace: Duration, age: Duration) async {
    let rig = rig(after: age) { $0.grace = grace }
    _ = await rig.loaded(.a, "1")
    await rig.settle()
    #expect(rig.live.options.grace == grace)
    #expect(rig.live.count == (grace > .zero ? 1 : 0))

    await rig.pass(.seconds(1000))

    #expect(rig.live.count == (grace > .seconds(1000) ? 1 : 0))
  }

  @Test(arguments: huge, ages)
  func `an interval`(interval: Duration, age: Duration) async {
    let rig = rig(after: age) { $0.interval = interval }
    let resource = await rig.loaded(.a, "1")

    await rig.pass(.seconds(1000))

    #expect(rig.loads("/a") == (interval == .nanoseconds(1) ? 2 : 1))
    _ = resource
  }

  @Test(arguments: huge, ages)
  func `a freshness`(freshness: Duration, age: Duration) async {
    let rig = rig(after: age) { $0.freshness = .duration(freshness) }
    let loaded = await rig.loaded(.a, "1")
    let set = rig.live.resource(.b)
    set.set("1")
    #expect(loaded.isStale == (freshness <= .zero) && set.isStale == (freshness <= .zero))

    await rig.pass(.seconds(1000))

    #expect(loaded.isStale == (freshness < .seconds(1000)))
    #expect(set.isStale == (freshness < .seconds(1000)))
  }

  @Test(arguments: huge, ages)
  func `a pause after loads`(pause: Duration, age: Duration) async {
    let rig = rig(after: age) { $0.deduplication = pause }
    let resource = await rig.loaded(.a, "1", maxAge: nil)

    await rig.pass(.seconds(1000))
    rig.live.reloadStale()
    await rig.settle()

    #expect(rig.loads("/a") == (pause > .seconds(1000) ? 1 : 2))
    _ = resource
  }

  @Test(arguments: huge, ages)
  func `a debounce`(debounce: Duration, age: Duration) async {
    let rig = rig(after: age) { _ in }
    let search = rig.live.query(debounce: debounce) { (text: String) in .text(at: "/\(text)") }
    search.input = "a"
    await rig.pass(.seconds(1000))
    _ = search.value
    await rig.settle()

    #expect(rig.loads("/a") == (debounce > .seconds(1000) ? 0 : 1))
  }

  @Test(arguments: huge, ages)
  func `the age of a stored response`(stored: Duration, age: Duration) async {
    let rig = rig(after: age) { _ in }
    rig.loader.store("/a", "stored", age: stored)
    let resource = rig.live.resource(.a)
    rig.live.invalidate(below: "/a")
    _ = resource.value
    await rig.settle()

    #expect(resource.value == "stored")
    #expect(resource.isLoading == (stored >= .zero))
  }

  @Test func `an Age of any number of digits`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.answer("/a", "1", headers: ["Age": "99999999999999999999"])

    #expect(resource.isStale)
  }
}
