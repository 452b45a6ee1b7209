import Foundation
import ResourceLoading
import ResourcePrimitives
import Testing

@testable import ResourceState

/// When values become stale and are loaded again.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct FreshnessScenarios {
  private let rig = Rig()

  @Test func `a value is fresh for the lifetime that its response states`() async {
    let resource = await rig.loaded(.a, "1", maxAge: 60)

    await rig.pass(.seconds(59))
    #expect(!resource.isStale)
    await rig.pass(.seconds(1))

    #expect(resource.isStale)
    #expect(resource.value == "1")
  }

  @Test func `a response that says nothing is stale at once`() async {
    #expect(await rig.loaded(.a, "1", maxAge: nil).isStale)
  }

  @Test func `a response with no-cache is stale at once`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.answer("/a", "1", maxAge: nil, headers: [.cacheControl: "no-cache, max-age=60"])

    #expect(resource.isStale)
  }

  @Test func `the Age of a response counts`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.answer("/a", "1", maxAge: 60, headers: ["Age": "50"])

    await rig.pass(.seconds(10))

    #expect(resource.isStale)
  }

  @Test func `a freshness option overrides what HTTP says`() async {
    let options = LiveOptions.with { $0.freshness = .duration(.seconds(5)) }
    let resource = await rig.loaded(.a, "1", maxAge: 60, options: options)

    #expect(!resource.isStale)
    await rig.pass(.seconds(5))

    #expect(resource.isStale)
  }

  @Test func `a value can be fresh until it is invalidated`() async {
    let options = LiveOptions.with { $0.freshness = .untilInvalidated }
    let resource = await rig.loaded(.a, "1", maxAge: nil, options: options)

    await rig.pass(.seconds(1_000_000))
    #expect(!resource.isStale)
    resource.invalidate()

    #expect(resource.isStale)
  }

  @Test func `becoming stale loads nothing on its own`() async {
    let resource = await rig.loaded(.a, "1")
    await rig.pass(.seconds(1000))

    #expect(resource.isStale)
    #expect(rig.loads("/a") == 1)
  }

  @Test func `a stale value is loaded when it is observed again`() async {
    let resource = await rig.loaded(.a, "1")
    await rig.pass(.seconds(60))

    let received = Received<String>()
    let observation = rig.live.observe(.a) { received($0) }
    await rig.settle()
    #expect(received.values.last == "1")
    await rig.answer("/a", "2")

    #expect(received.values.last == "2")
    #expect(resource.value == "2")
    _ = observation
  }

  @Test func `a fresh value isn't loaded when it is observed again`() async {
    let resource = await rig.loaded(.a, "1")
    await rig.pass(.seconds(59))

    _ = rig.live.resource(.a).value
    await rig.settle()

    #expect(rig.loads("/a") == 1)
    _ = resource
  }

  @Test func `observing again soon after a load doesn't load again`() async {
    let options = LiveOptions.with { $0.deduplication = .seconds(2) }
    let resource = await rig.loaded(.a, "1", maxAge: nil, options: options)

    await rig.pass(.seconds(1))
    _ = rig.live.resource(.a).value
    await rig.settle()
    #expect(rig.loads("/a") == 1)
    await rig.pass(.seconds(1))
    _ = rig.live.resource(.a).value
    await rig.settle()

    #expect(rig.loads("/a") == 2)
    _ = resource
  }

  @Test func `an interval loads again, and counts from the end of a load`() async {
    let options = LiveOptions.with { $0.interval = .seconds(30) }
    let resource = await rig.loaded(.a, "1", options: options)

    await rig.pass(.seconds(30))
    await rig.pass(.seconds(20))
    await rig.answer("/a", "2")
    await rig.pass(.seconds(29))
    #expect(rig.loads("/a") == 2)
    await rig.pass(.seconds(1))

    #expect(rig.loads("/a") == 3)
    #expect(resource.value == "2")
  }

  @Test func `an interval continues after a failure`() async {
    let options = LiveOptions.with { $0.interval = .seconds(30) }
    let resource = await rig.loaded(.a, "1", options: options)

    await rig.pass(.seconds(30))
    await rig.fail("/a")
    await rig.pass(.seconds(30))
    await rig.answer("/a", "2")

    #expect(resource.value == "2")
    #expect(resource.error == nil)
  }

  @Test func `an interval stops when nobody observes`() async {
    let options = LiveOptions.with { $0.interval = .seconds(30) }
    let observation = rig.live.observe(.a, options: options) { _ in }
    await rig.answer("/a", "1")

    observation.cancel()
    await rig.pass(.seconds(90))

    #expect(rig.loads("/a") == 1)
  }

  @Test func `an interval asks the server although the value is fresh`() async {
    let options = LiveOptions.with { $0.interval = .seconds(1) }
    let resource = await rig.loaded(.a, "1", maxAge: 1000, options: options)

    await rig.pass(.seconds(1))

    #expect(rig.loader.begun.last?.options.cachePolicy == .reload)
    _ = resource
  }

  @Test func `a signal loads an observed resource that is stale`() async {
    let (signals, signal) = AsyncStream.makeStream(of: Void.self)
    rig.live.reload(on: signals)
    let (stale, fresh) = (
      await rig.loaded(.a, "1", maxAge: nil), await rig.loaded(.b, "1", maxAge: 60)
    )

    signal.yield()
    await rig.answer("/a", "2")

    #expect(stale.value == "2")
    #expect(rig.loads("/b") == 1)
    _ = fresh
  }

  @Test func `a signal loads a failed resource again`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.fail("/a")

    rig.live.reloadStale()
    await rig.answer("/a", "1")

    #expect(resource.value == "1")
  }

  @Test func `a signal loads a resource again that failed beside a fresh value`() async {
    let resource = await rig.loaded(.a, "1", maxAge: 1000)
    let reload = Task { await resource.reload() }
    await rig.fail("/a")
    await reload.value
    #expect(resource.error != nil && !resource.isStale)

    rig.live.reloadStale()
    await rig.answer("/a", "2")

    #expect(resource.value == "2" && resource.error == nil)
  }

  @Test func `a signal doesn't load a resource without observers`() async {
    rig.live.set(.a, to: "1")
    rig.live.reloadStale()
    await rig.settle()

    #expect(rig.loads("/a") == 0)
  }

  @Test func `signals during a load start no other one`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.settle()
    for _ in 0..<5 { rig.live.reloadStale() }
    await rig.answer("/a", "1", maxAge: 60)

    #expect(rig.loads("/a") == 1)
  }

  @Test func `a sequence of signals that ends or throws changes nothing`() async {
    struct Ended: Error {}
    rig.live.reload(on: AsyncThrowingStream<Void, any Error> { $0.finish(throwing: Ended()) })
    let resource = await rig.loaded(.a, "1")

    #expect(resource.value == "1")
  }

  @Test func `reloading asks the server although the value is fresh`() async {
    let resource = await rig.loaded(.a, "1")
    let reload = Task { await resource.reload() }
    await rig.answer("/a", "2")
    await reload.value

    #expect(resource.value == "2")
    #expect(rig.loader.begun.last?.options.cachePolicy == .reload)
  }

  @Test func `reloading during a load joins it`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.settle()
    let reloads = (0..<3).map { _ in Task { await resource.reload() } }
    await rig.settle()
    await rig.answer("/a", "1")
    for reload in reloads { await reload.value }

    #expect(rig.loads("/a") == 1)
  }

  @Test func `a reload that fails returns when it has ended`() async {
    let resource = await rig.loaded(.a, "1")
    let reload = Task { await resource.reload() }
    await rig.fail("/a")
    await reload.value

    #expect(resource.error != nil)
    #expect(resource.value == "1")
  }

  @Test func `a cancelled wait for a reload returns at once`() async {
    let resource = await rig.loaded(.a, "1")
    let reload = Task { await resource.reload() }
    while rig.loads("/a") < 2 { await Task.yield() }

    reload.cancel()
    await reload.value
    #expect(resource.isLoading)
    await rig.answer("/a", "2")

    #expect(resource.value == "2")
  }
}

@MainActor
@Suite(.timeLimit(.minutes(15)))
struct InvalidationScenarios {
  private let rig = Rig()

  @Test func `invalidating an observed resource loads it, and keeps its value`() async {
    let resource = await rig.loaded(.a, "1", maxAge: 1000)

    rig.live.invalidate(.a)
    await rig.settle()
    #expect(resource.value == "1")
    #expect(resource.isStale && resource.isLoading)
    await rig.answer("/a", "2")

    #expect(resource.value == "2")
    #expect(!resource.isStale)
  }

  @Test func `invalidating a resource without observers marks it for the next one`() async {
    _ = await rig.loaded(.a, "1", maxAge: 1000)
    await rig.settle()

    rig.live.invalidate(.a)
    await rig.settle()
    #expect(rig.loads("/a") == 1)
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.answer("/a", "2")

    #expect(resource.value == "2")
  }

  @Test func `a tag invalidates all resources that have it`() async {
    let one = rig.live.resource(.a, tags: ["issues"])
    let other = rig.live.resource(.b, tags: ["users", "issues"])
    let third = await rig.loaded(.text(at: "/c"), "1")
    _ = (one.value, other.value)
    await rig.answer("/a", "1")
    await rig.answer("/b", "1")

    rig.live.invalidate(tag: "issues")
    await rig.settle()

    #expect(Set(rig.loader.waiting) == ["/a", "/b"])
    _ = third
  }

  @Test func `a path invalidates what is at it and below it, segment by segment`() async {
    let paths: [RequestPath] = ["/users", "/users/1", "/users/1/repos", "/users2"]
    var held: [LiveResource<String>] = []
    for path in paths { held.append(await rig.loaded(.text(at: path), "1")) }

    rig.live.invalidate(below: "/users")
    await rig.settle()

    #expect(Set(rig.loader.waiting) == ["/users", "/users/1", "/users/1/repos"])
    _ = held
  }

  @Test func `all resources can be invalidated`() async {
    let held = (await rig.loaded(.a, "1"), await rig.loaded(.b, "1"))

    rig.live.invalidateAll()
    await rig.settle()

    #expect(Set(rig.loader.waiting) == ["/a", "/b"])
    _ = held
  }

  @Test func `invalidating during a load starts another one after it`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.settle()

    resource.invalidate()
    resource.invalidate()
    await rig.answer("/a", "old")
    #expect(resource.value == "old")
    #expect(resource.isStale && resource.isLoading)
    await rig.answer("/a", "new")

    #expect(resource.value == "new")
    #expect(!resource.isStale)
    #expect(rig.loads("/a") == 2)
  }

  @Test func `an invalidated resource stays so when its load fails`() async {
    let resource = await rig.loaded(.a, "1", maxAge: 1000)
    resource.invalidate()
    await rig.fail("/a")
    #expect(resource.isStale)

    rig.live.reloadStale()
    await rig.answer("/a", "2")

    #expect(!resource.isStale)
  }

  @Test func `a resource that was invalidated before it was live isn't read from the cache alone`()
    async
  {
    rig.live.invalidate(below: "/a")
    rig.loader.store("/a", "stored", age: .seconds(10), maxAge: 1000)
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.settle()
    #expect(resource.value == "stored")
    #expect(resource.isStale)
    await rig.answer("/a", "new")

    #expect(resource.value == "new")
  }

  @Test func `no invalidation is forgotten, however many there are`() async {
    for number in 0..<1000 { rig.live.invalidate(.text(at: "/a/\(number)")) }
    rig.loader.store("/a/1", "stored", age: .seconds(10), maxAge: 1000)

    let resource = rig.live.resource(.text(at: "/a/1"))
    _ = resource.value
    await rig.answer("/a/1", "new")

    #expect(resource.value == "new")
  }
}

/// A cache behind the loader.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct StoredScenarios {
  private let rig = Rig()

  @Test func `a fresh stored value is there without the network`() async {
    rig.loader.store("/a", "stored", age: .seconds(10), maxAge: 60)
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.settle()

    #expect(resource.value == "stored")
    #expect(!resource.isLoading && !resource.isStale)
    #expect(rig.loads("/a") == 0)
    await rig.pass(.seconds(50))
    #expect(resource.isStale)
  }

  @Test func `a stale stored value is shown while a new one is loaded`() async {
    rig.loader.store("/a", "stored", age: .seconds(100), maxAge: 60)
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.settle()
    #expect(resource.value == "stored")
    #expect(resource.isLoading && resource.isStale)
    await rig.answer("/a", "new")

    #expect(resource.value == "new")
    #expect(rig.loader.begun.map(\.options.cachePolicy) == [.freshOnly])
  }

  @Test func `offline the stored value is shown with the error`() async {
    rig.loader.store("/a", "stored", age: .seconds(100), maxAge: 60)
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.fail("/a")

    #expect(resource.value == "stored")
    #expect((resource.error as? LoadError)?.kind == .connection)
    #expect(resource.isStale)
  }

  @Test func `the date of a stored value is that of its response`() async throws {
    rig.loader.store("/a", "stored", age: .seconds(10), maxAge: 60)
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.settle()

    let updated = try #require(resource.updated)
    let expected = rig.live.clock.date().addingTimeInterval(-10)
    #expect(abs(updated.timeIntervalSince(expected)) < 0.001)
  }

  @Test func `a request with a policy of its own is loaded as it says`() async {
    rig.loader.store("/a", "stored")
    let request = Request.get("/a").cachePolicy(.networkOnly)
    let resource = rig.live.resource(
      Resource(request) { String(decoding: $0.body, as: UTF8.self) })
    _ = resource.value
    await rig.answer("/a", "new")

    #expect(resource.value == "new")
    #expect(rig.loader.begun.map(\.options.cachePolicy) == [.networkOnly])
  }
}
