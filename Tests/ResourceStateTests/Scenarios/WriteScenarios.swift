import Foundation
import PromiseModule
import ResourceLoading
import Testing

@testable import ResourceState

/// Values that the program changes, and writes with expected changes.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct WriteScenarios {
  private let rig = Rig()

  @Test func `an expected change is shown at once, and stays if the write succeeds`() async throws {
    let resource = await rig.loaded(.a, "1")
    let write = await rig.write { $0.update(.a) { $0 += "+" } }
    #expect(resource.value == "1+")

    await rig.answer("/write", "done")

    #expect(try await write.value == "done")
    await rig.settle()
    #expect(resource.value == "1+")
  }

  @Test func `a write that fails rolls its change back`() async {
    let resource = await rig.loaded(.a, "1")
    let write = await rig.write { $0.update(.a) { $0 += "+" } }

    await rig.fail("/write")

    await #expect(throws: LoadError.self) { try await write.value }
    await rig.settle()
    #expect(resource.value == "1")
  }

  @Test func `a write that is cancelled rolls its change back`() async {
    let resource = await rig.loaded(.a, "1")
    let write = await rig.write { $0.update(.a) { $0 += "+" } }

    write.cancel()
    await #expect(throws: CancellationError.self) { try await write.value }
    await rig.settle()

    #expect(resource.value == "1")
    #expect(rig.loader.cancellations("/write") == 1)
  }

  @Test func `a write changes several resources, and rolls all of them back`() async {
    let (a, b) = (await rig.loaded(.a, "a"), await rig.loaded(.b, "b"))
    let write = await rig.write {
      $0.update(.a) { $0 += "+" }
      $0.update(.b) { $0 += "+" }
    }
    #expect(a.value == "a+" && b.value == "b+")

    await rig.fail("/write")
    _ = try? await write.value
    await rig.settle()

    #expect(a.value == "a" && b.value == "b")
  }

  @Test func `a value that was set meanwhile isn't rolled back`() async {
    let resource = await rig.loaded(.a, "1")
    let write = await rig.write { $0.update(.a) { $0 += "+" } }
    resource.set("newer")

    await rig.fail("/write")
    _ = try? await write.value
    await rig.settle()

    #expect(resource.value == "newer")
  }

  @Test func `a change that came meanwhile stays when the write before it is rolled back`() async {
    let resource = await rig.loaded(.a, "1")
    let write = await rig.write { $0.update(.a) { $0 += "+" } }
    resource.update { $0 += "!" }
    #expect(resource.value == "1+!")

    await rig.fail("/write")
    _ = try? await write.value
    await rig.settle()

    #expect(resource.value == "1!")
  }

  @Test(arguments: [true, false], [true, false])
  func `of two writes that overlap each keeps or loses its own change`(
    first: Bool, second: Bool
  ) async {
    let resource = await rig.loaded(.a, "1")
    let one = await rig.write("/one") { $0.update(.a) { $0 += "x" } }
    let two = await rig.write("/two") { $0.update(.a) { $0 += "y" } }
    #expect(resource.value == "1xy")

    if second { await rig.answer("/two", "") } else { await rig.fail("/two") }
    _ = try? await two.value
    await rig.settle()
    #expect(resource.value == (second ? "1xy" : "1x"))
    if first { await rig.answer("/one", "") } else { await rig.fail("/one") }
    _ = try? await one.value
    await rig.settle()

    #expect(resource.value == "1" + (first ? "x" : "") + (second ? "y" : ""))
  }

  @Test func `a load that was under way when a write began doesn't bring the old value back`()
    async
  {
    let resource = await rig.loaded(.a, "1")
    resource.invalidate()
    await rig.settle()

    let write = await rig.write { $0.update(.a) { $0 += "+" } }
    #expect(rig.loader.cancellations("/a") == 1)
    #expect(rig.loader.waiting == ["/write"])
    await rig.answer("/write", "")
    _ = try? await write.value
    await rig.answer("/a", "2+")

    #expect(resource.value == "2+")
  }

  @Test func `no load begins on a resource that a write is changing`() async {
    let resource = await rig.loaded(.a, "1", maxAge: nil)
    let write = await rig.write { $0.update(.a) { $0 += "+" } }

    rig.live.reloadStale()
    rig.live.invalidate(.a)
    _ = rig.live.resource(.a).value
    await rig.settle()
    #expect(rig.loader.waiting == ["/write"])
    await rig.answer("/write", "")
    _ = try? await write.value
    await rig.settle()

    #expect(rig.loader.waiting == ["/a"])
    _ = resource
  }

  @Test func `a reload during a write ends after it`() async {
    let resource = await rig.loaded(.a, "1")
    let write = await rig.write { $0.update(.a) { $0 += "+" } }
    let reload = Task { await resource.reload() }
    await rig.settle()
    await rig.answer("/write", "")
    _ = try? await write.value
    await rig.answer("/a", "2")
    await reload.value

    #expect(resource.value == "2")
  }

  @Test func `the resources that a write changed are loaded when it ends, successfully or not`()
    async
  {
    let resource = await rig.loaded(.a, "1", maxAge: 1000)
    let failing = await rig.write { $0.update(.a) { $0 += "+" } }
    await rig.fail("/write")
    _ = try? await failing.value
    await rig.answer("/a", "2", maxAge: 1000)
    let succeeding = await rig.write { $0.update(.a) { $0 += "+" } }
    await rig.answer("/write", "")
    _ = try? await succeeding.value
    await rig.answer("/a", "3", maxAge: 1000)

    #expect(resource.value == "3")
    #expect(!resource.isStale)
    #expect(rig.loads("/a") == 3)
  }

  @Test func `one load follows writes that overlap`() async {
    let resource = await rig.loaded(.a, "1")
    let one = await rig.write("/one") { $0.update(.a) { $0 += "x" } }
    let two = await rig.write("/two") { $0.update(.a) { $0 += "y" } }
    await rig.answer("/one", "")
    _ = try? await one.value
    await rig.settle()
    #expect(rig.loads("/a") == 1)
    await rig.answer("/two", "")
    _ = try? await two.value
    await rig.answer("/a", "1xy")

    #expect(rig.loads("/a") == 2)
    #expect(resource.value == "1xy")
  }

  @Test
  func `a write to a resource that isn't live changes nothing, and the first load asks the server`()
    async
  {
    let write = await rig.write { $0.update(.a) { $0 += "+" } }
    await rig.answer("/write", "")
    _ = try? await write.value
    let resource = await rig.loaded(.a, "1+")

    #expect(resource.value == "1+")
    #expect(rig.loader.begun.last?.options.cachePolicy == .reload)
  }

  @Test
  func `an expected value can be set where there was none, and is removed if the write fails`()
    async
  {
    let resource = rig.live.resource(.a)
    let write = await rig.write { $0.set(.a, to: "draft") }
    #expect(resource.value == "draft")

    await rig.fail("/write")
    _ = try? await write.value
    await rig.settle()

    #expect(resource.value == nil)
  }

  @Test func `the answer of a write can be shown`() async {
    let resource = await rig.loaded(.a, "1")
    let write = await rig.write {
      $0.update(.a) { $0 += "+draft" }
    } then: { changes, answer in
      changes.update(.a) { $0 = $0.replacing("draft", with: answer) }
    }
    await rig.answer("/write", "42")
    _ = try? await write.value
    await rig.settle()

    #expect(resource.value == "1+42")
  }

  @Test func `a write with changes can be sent from anywhere`() async throws {
    let resource = await rig.loaded(.a, "1")
    let write = Task.detached { [live = rig.live] in
      try await live.send(.text(posting: "/write")) {
        $0.update(.a) { $0 += "+draft" }
        $0.invalidate(.b)
      } then: { changes, answer in
        changes.update(.a) { $0 = $0.replacing("draft", with: answer) }
      }
    }
    while !rig.loader.waiting.contains("/write") { await Task.yield() }
    await rig.answer("/write", "42")

    #expect(try await write.value == "42")
    #expect(resource.value == "1+42")
  }

  @Test func `a write can invalidate by tag and path`() async {
    let a = rig.live.resource(.a, tags: ["list"])
    _ = a.value
    await rig.answer("/a", "1")
    let b = await rig.loaded(.b, "1")
    let write = await rig.write {
      $0.invalidate(tag: "list")
      $0.invalidate(below: "/b")
    }
    #expect(!a.isStale && !b.isStale)
    await rig.answer("/write", "")
    _ = try? await write.value
    await rig.settle()

    #expect(Set(rig.loader.waiting) == ["/a", "/b"])
  }

  @Test func `a value that is set during a load isn't replaced by its answer`() async {
    let resource = await rig.loaded(.a, "1")
    resource.invalidate()
    await rig.settle()

    resource.set("2")
    await rig.settle()
    #expect(rig.loader.cancellations("/a") == 1)
    await rig.answer("/a", "3")

    #expect(resource.value == "3")
    #expect(rig.loads("/a") == 3)
  }

  @Test func `changing a value that isn't there does nothing`() async {
    rig.live.update(.a) { $0 += "+" }
    let resource = rig.live.resource(.a)
    resource.update { $0 += "+" }

    #expect(resource.value == nil)
  }

  @Test func `setting a value removes the error`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.fail("/a")
    resource.set("1")

    #expect(resource.error == nil)
  }

  @Test func `the state is kept during a write that nobody observes`() async {
    let rig = Rig(.with { $0.grace = .seconds(1) })
    _ = await rig.loaded(.a, "1")
    let write = await rig.write { $0.update(.a) { $0 += "+" } }
    await rig.pass(.seconds(100))
    #expect(rig.live.count == 1)
    await rig.answer("/write", "")
    _ = try? await write.value
    await rig.pass(.seconds(1))

    #expect(rig.live.count == 0)
  }
}
