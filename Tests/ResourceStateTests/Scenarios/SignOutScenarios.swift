import Foundation
import PromiseModule
import ResourceCache
import ResourceLoading
import ResourceTesting
import Testing

@testable import ResourceState

@MainActor
@Suite(.timeLimit(.minutes(15)))
struct SignOutScenarios {
  private let rig = Rig()

  @Test func `signing out forgets all values, and notifies their observers`() async {
    let resource = await rig.loaded(.a, "1")
    let received = Received<String>()
    let observation = rig.live.observe(.a) { received($0) }
    await rig.settle()

    rig.live.removeAll()
    await rig.settle()

    #expect(resource.value == nil && resource.updated == nil && !resource.isStale)
    #expect(received.values == ["1", nil])
    _ = observation
  }

  @Test func `signing out cancels loads, and their answers don't come back`() async {
    let resource = rig.live.resource(.a)
    _ = resource.value
    await rig.settle()

    rig.live.removeAll()
    await rig.settle()

    #expect(rig.loader.cancellations("/a") == 1)
    #expect(resource.value == nil && !resource.isLoading && resource.error == nil)
  }

  @Test func `signing out cancels writes, and nothing is loaded because of them`() async {
    let resource = await rig.loaded(.a, "1")
    let write = await rig.write {
      $0.update(.a) { $0 += "+" }
      $0.invalidate(below: "/a")
    }

    rig.live.removeAll()
    await #expect(throws: CancellationError.self) { try await write.value }
    await rig.settle()

    #expect(resource.value == nil)
    #expect(rig.loader.waitingCount == 0)
    #expect(rig.loads("/a") == 1)
  }

  @Test func `after signing out a resource is loaded when it is observed again`() async {
    let resource = await rig.loaded(.a, "1")
    rig.live.removeAll()
    await rig.settle()
    #expect(rig.loads("/a") == 1)

    _ = rig.live.resource(.a).value
    await rig.answer("/a", "other account")

    #expect(resource.value == "other account")
  }

  @Test func `signing out rejects the promises of values`() async {
    let promise = rig.live.promise(of: .a)
    await rig.settle()
    rig.live.removeAll()

    await #expect(throws: CancellationError.self) { try await promise.value }
  }

  @Test func `live resources that are released cancel what they load`() async {
    let loader = ScriptedLoader()
    var live: LiveResources? = LiveResources(loader)
    weak let released = live
    var resource = live?.resource(.a)
    _ = resource?.value
    while loader.waitingCount == 0 { await Task.yield() }

    live = nil
    resource = nil
    while loader.waitingCount > 0 || released != nil { await Task.yield() }

    #expect(loader.cancellations("/a") == 1)
  }

  @Test func `after signing out a signal loads nothing for earlier observers`() async {
    let options = LiveOptions.with { $0.interval = .seconds(30) }
    let resource = await rig.loaded(.a, "1", options: options)
    let observation = rig.live.observe(.b) { _ in }
    await rig.answer("/b", "1")

    rig.live.removeAll()
    rig.live.reloadStale()
    rig.live.invalidateAll()
    await rig.pass(.seconds(100))

    #expect(rig.loader.waitingCount == 0)
    #expect(rig.loads("/a") == 1 && rig.loads("/b") == 1)
    withExtendedLifetime((resource, observation)) {}
  }

  @Test func `after signing out a new observer brings the earlier ones back`() async {
    let resource = await rig.loaded(.a, "1", maxAge: nil)
    rig.live.removeAll()
    let observation = rig.live.observe(.a) { _ in }
    await rig.answer("/a", "2", maxAge: nil)

    observation.cancel()
    rig.live.reloadStale()
    await rig.answer("/a", "3", maxAge: nil)

    #expect(resource.value == "3")
  }

  @Test func `signing out frees resources that nobody holds at once`() async {
    _ = await rig.loaded(.a, "1")
    await rig.settle()
    #expect(rig.live.count == 1)

    rig.live.removeAll()

    #expect(rig.live.count == 0)
  }

  @Test func `signing out replaces the state that a slow loop hasn't taken yet`() async {
    let resource = await rig.loaded(.a, "1")
    var states = rig.live.states(of: .a).makeAsyncIterator()
    await rig.settle()

    rig.live.removeAll()

    #expect(await states.next()?.value == nil)
    _ = resource
  }

  @Test func `signing out removes the part of a value that an observer follows`() async {
    let resource = await rig.loaded(.a, "abc")
    var counts: [Int?] = []
    let observation = rig.live.observe(.a, selecting: \.count) {
      counts.append($0)
    } removed: {
      counts.append(nil)
    }
    await rig.settle()

    rig.live.removeAll()
    await rig.settle()
    resource.set("xyz")
    await rig.settle()

    #expect(counts == [3, nil, 3])
    _ = observation
  }

  @Test func `signing out removes the previous value of a query, and its input`() async {
    let search = rig.live.query(keepsPrevious: true) { (text: String) in .text(at: "/\(text)") }
    search.input = "a"
    _ = search.value
    await rig.answer("/a", "secret")
    search.input = "b"
    #expect(search.value == "secret")
    let counter = ChangeCounter { _ = (search.value, search.input) }

    rig.live.removeAll()
    await rig.settle()

    #expect(counter.count == 1)
    #expect(search.value == nil && !search.isPrevious && search.input == nil)
    search.input = "b"
    #expect(search.value == nil)
    await rig.answer("/b", "2")
    #expect(search.value == "2")
  }

  @Test func `signing out ends a debounce`() async {
    let search = rig.live.query(debounce: .seconds(1)) { (text: String) in .text(at: "/\(text)") }
    let counter = ChangeCounter { _ = search.value }
    search.input = "a"

    rig.live.removeAll()
    await rig.pass(.seconds(2))

    #expect(rig.loader.begun.isEmpty)
    _ = counter
  }

  @Test func `after signing out a dependent resource is loaded again for the same input`() async {
    let user = await rig.loaded(.text(at: "/user"), "one")
    let repositories = rig.live.query(by: user, \.self, keepsPrevious: true) {
      .text(at: "/repos/\($0)")
    }
    _ = repositories.value
    await rig.answer("/repos/one", "secret")

    rig.live.removeAll()
    user.set("one")
    #expect(repositories.value == nil)
    await rig.answer("/repos/one", "2")

    #expect(repositories.value == "2")
  }

  @Test func `after signing out pages are loaded when they are observed again`() async {
    func pages() -> LivePages<Letter> {
      rig.live.pages(
        of: .text(at: "/list"), by: .following { _ in nil }, elements: { $0.map(Letter.init) })
    }
    let held = pages()
    let counter = ChangeCounter { _ = held.elements }
    await rig.answer("/list", "ab")

    rig.live.removeAll()
    await rig.settle()
    rig.live.reloadStale()
    held.invalidate()
    await rig.settle()
    #expect(held.elements.isEmpty && counter.count > 1)
    #expect(rig.loads("/list") == 1)
    _ = pages().elements
    await rig.answer("/list", "c")

    #expect(held.elements.map(\.id) == ["c"])
  }

  @Test func `a load that begins while the cache is being emptied waits until it is empty`()
    async throws
  {
    let storage = GatedStorage()
    let removal = Task { try await rig.live.removeAll(with: HTTPCache(storage)) }
    try await storage.removing.opened()
    let resource = rig.live.resource(.a)
    let pages = rig.live.pages(
      of: .text(at: "/list"), by: .following { _ in nil }, elements: { $0.map(Letter.init) })
    rig.loader.store("/a", "secret")
    _ = (resource.value, pages.elements)
    while rig.live.turns.loadCount < 2 { await Task.yield() }
    // The tasks of the loads have begun by then.
    for _ in 0..<100 { await Task.yield() }
    #expect(rig.loader.begun.isEmpty && resource.value == nil)

    rig.loader.removeStored()
    storage.empty.open()
    try await removal.value
    await rig.answer("/a", "1")
    await rig.answer("/list", "a")

    #expect(resource.value == "1" && pages.elements.map(\.id) == ["a"])
  }

  @Test func `signing out stops pages whose first load hasn't begun`() async {
    let pages = rig.live.pages(
      of: .text(at: "/list"), by: .following { _ in nil }, elements: { $0.map(Letter.init) })
    _ = pages.elements

    rig.live.removeAll()
    await rig.settle()

    #expect(rig.loader.begun.isEmpty)
  }
}

/// A storage whose removal waits for the test.
private final class GatedStorage: ResponseStorage {
  let (removing, empty) = (Gate(), Gate())

  func responses(for key: CacheKey) -> [StoredResponse] { [] }
  func mark() throws -> RemovalMark { throw CancellationError() }
  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) {}

  func remove(_ scope: CacheScope) async {
    removing.open()
    try? await empty.opened()
  }
}

private struct Letter: Identifiable {
  let id: Character
}
