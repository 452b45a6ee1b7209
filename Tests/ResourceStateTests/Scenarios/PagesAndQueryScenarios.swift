import Foundation
import ResourceLoading
import Testing

@testable import ResourceState

@MainActor
@Suite(.timeLimit(.minutes(15)))
struct PagesScenarios {
  private struct Item: Identifiable, Equatable, Sendable {
    let id: Int
    var text = ""
  }

  private let rig = Rig()

  /// Items such as `1,2:text,3`, on numbered pages until one is empty.
  private static var items: Resource<[Item]> {
    Resource(.get("/items")) { response in
      String(decoding: response.body, as: UTF8.self).split(separator: ",").map { item in
        let parts = item.split(separator: ":")
        return Item(id: Int(parts[0]) ?? 0, text: parts.count > 1 ? String(parts[1]) : "")
      }
    }
  }

  private func pages(maximumPages: Int? = nil, window: Int? = nil) -> LivePages<Item> {
    rig.live.pages(
      of: Self.items, by: .page("page"), maximumPages: maximumPages, window: window)
  }

  private func next(_ pages: LivePages<Item>, _ page: Int, _ items: String) async {
    let load = Task { await pages.loadNext() }
    await rig.answer("/items?page=\(page)", items)
    await load.value
    await rig.settle()
  }

  @Test func `tags of a later caller invalidate the pages, too`() async {
    let first = pages()
    await next(first, 1, "1")

    let second = rig.live.pages(of: Self.items, by: .page("page"), tags: ["items"])
    rig.live.invalidate(tag: "items")

    #expect(second === first && first.isStale)
  }

  @Test func `observing pages loads the first one`() async {
    let pages = pages()
    #expect(pages.elements.isEmpty)
    await rig.answer("/items?page=1", "1,2")

    #expect(pages.elements.map(\.id) == [1, 2])
    #expect(pages.hasMore && pages.pageCount == 1)
  }

  @Test func `a window keeps so many pages, and loads those before it again`() async {
    let pages = pages(window: 2)
    await next(pages, 1, "1,2")
    await next(pages, 2, "3")
    #expect(!pages.hasPrevious)
    await next(pages, 3, "4")
    await next(pages, 4, "5")
    #expect(pages.elements.map(\.id) == [4, 5] && pages.pageCount == 2 && pages.hasPrevious)

    for (page, items) in [(2, "3"), (1, "1,2")] {
      let load = Task { await pages.loadPrevious() }
      await rig.answer("/items?page=\(page)", items)
      await load.value
    }

    #expect(pages.elements.map(\.id) == [1, 2, 3] && !pages.hasPrevious && pages.hasMore)
    await next(pages, 3, "4:again")
    #expect(pages.elements == [Item(id: 3), Item(id: 4, text: "again")])
    await next(pages, 4, "")
    #expect(!pages.hasMore && pages.elements.map(\.id) == [3, 4])
  }

  @Test func `a reload of a window begins with its first page`() async {
    let pages = pages(window: 2)
    for page in 1...3 { await next(pages, page, "\(page)") }
    let load = Task { await pages.reload() }
    await rig.answer("/items?page=2", "2,9")
    await rig.answer("/items?page=3", "3")
    await load.value

    #expect(pages.elements.map(\.id) == [2, 9, 3] && pages.hasPrevious)
    await next(pages, 4, "4")
    #expect(pages.elements.map(\.id) == [3, 4])
  }

  @Test func `a write is shown over all loaded pages, and rolled back if it fails`() async {
    let pages = pages()
    await next(pages, 1, "1,2")
    await next(pages, 2, "3")
    let write = await rig.write {
      $0.update(pagesOf: Self.items) { $0.insert(Item(id: 0, text: "draft"), at: 0) }
      $0.update(pagesOf: Self.items) { $0.removeAll { $0.id == 3 } }
    }
    #expect(pages.elements.map(\.id) == [0, 1, 2])

    await rig.fail("/write")
    _ = try? await write.value
    await rig.answer("/items?page=1", "1,2")
    await rig.answer("/items?page=2", "3,4")

    #expect(pages.elements.map(\.id) == [1, 2, 3, 4])
  }

  @Test func `what a write is confirmed to have changed stays`() async throws {
    let pages = pages()
    await next(pages, 1, "1")
    let write = await rig.write {
      $0.update(pagesOf: Self.items) { $0.append(Item(id: 0, text: "draft")) }
    } then: { changes, text in
      changes.update(pagesOf: Self.items) { items in
        items = items.map { $0.id == 0 ? Item(id: 9, text: text) : $0 }
      }
    }

    await rig.answer("/write", "saved")
    _ = try await write.value

    #expect(pages.elements == [Item(id: 1), Item(id: 9, text: "saved")])
    await rig.answer("/items?page=1", "1,9:saved")
    #expect(pages.elements == [Item(id: 1), Item(id: 9, text: "saved")])
  }

  @Test func `the next page is appended`() async {
    let pages = pages()
    await next(pages, 1, "1,2")
    await next(pages, 2, "3")

    #expect(pages.elements.map(\.id) == [1, 2, 3])
  }

  @Test func `two callers that want the next page share its load`() async {
    let pages = pages()
    await next(pages, 1, "1")
    let loads = (0..<2).map { _ in Task { await pages.loadNext() } }
    await rig.answer("/items?page=2", "2")
    for load in loads { await load.value }

    #expect(pages.elements.map(\.id) == [1, 2])
    #expect(pages.pageCount == 2)
  }

  @Test func `an element on two pages is shown once, in its latest version`() async {
    let pages = pages()
    await next(pages, 1, "1,2:old")
    await next(pages, 2, "2:new,3")

    #expect(pages.elements == [Item(id: 1), Item(id: 2, text: "new"), Item(id: 3)])
  }

  @Test func `the last page is known, and nothing is loaded after it`() async {
    let pages = pages()
    await next(pages, 1, "1")
    await next(pages, 2, "")
    let count = rig.loader.begun.count

    await pages.loadNext()
    await pages.loadNext()

    #expect(!pages.hasMore)
    #expect(rig.loader.begun.count == count)
  }

  @Test func `the end of the list is known when its last page is there`() async {
    let pages = pages()
    await next(pages, 1, "1")
    #expect(pages.hasMore)
    await next(pages, 2, "")
    #expect(!pages.hasMore)

    let reload = Task { await pages.reload() }
    await rig.answer("/items?page=1", "")
    await reload.value

    #expect(!pages.hasMore && pages.elements.isEmpty)
    #expect(rig.loader.waitingCount == 0)
  }

  @Test func `no more pages are loaded than the limit`() async {
    let pages = pages(maximumPages: 2)
    await next(pages, 1, "1")
    #expect(pages.hasMore)
    await next(pages, 2, "2")

    #expect(!pages.hasMore)
    await pages.loadNext()
    #expect(rig.loader.begun.count == 2)
  }

  @Test func `a reload of pages keeps the shown elements until all pages have arrived`() async {
    let pages = pages()
    await next(pages, 1, "1,2")
    await next(pages, 2, "3")

    let reload = Task { await pages.reload() }
    await rig.answer("/items?page=1", "0,1")
    #expect(pages.elements.map(\.id) == [1, 2, 3])
    await rig.answer("/items?page=2", "2,3")
    await reload.value

    #expect(pages.elements.map(\.id) == [0, 1, 2, 3])
    #expect(pages.pageCount == 2)
  }

  @Test func `a reload of pages that fails keeps them, and shows the error`() async {
    let pages = pages()
    await next(pages, 1, "1")
    await next(pages, 2, "2")
    let reload = Task { await pages.reload() }
    await rig.answer("/items?page=1", "9")
    await rig.fail("/items?page=2")
    await reload.value

    #expect(pages.elements.map(\.id) == [1, 2])
    #expect(pages.error != nil)
  }

  @Test func `a page that failed is loaded again`() async {
    let pages = pages()
    await next(pages, 1, "1")
    let failing = Task { await pages.loadNext() }
    await rig.fail("/items?page=2")
    await failing.value
    #expect(pages.error != nil && pages.hasMore)

    let load = Task { await pages.loadNext() }
    await rig.answer("/items?page=1", "1")
    await rig.answer("/items?page=2", "2")
    await load.value

    #expect(pages.elements.map(\.id) == [1, 2])
    #expect(pages.error == nil)
  }

  @Test func `pages that are invalidated are loaded again`() async {
    let pages = pages()
    _ = pages.elements
    await rig.answer("/items?page=1", "1")

    rig.live.invalidate(below: "/items")
    await rig.answer("/items?page=1", "2")

    #expect(pages.elements.map(\.id) == [2])
    #expect(!pages.isStale)
  }

  @Test func `pages that are invalidated while the first one is loaded are loaded again`() async {
    let pages = pages()
    _ = pages.elements
    await rig.settle()
    rig.live.invalidate(below: "/items")
    rig.loader.answer("/items?page=1", .success(.text("1")))
    await rig.settle()
    #expect(pages.elements.map(\.id) == [1] && pages.isStale)
    rig.loader.answer("/items?page=1", .success(.text("2")))
    await rig.settle()

    #expect(pages.elements.map(\.id) == [2] && !pages.isStale)
  }

  @Test func `a reload cancels the load of the next page`() async {
    let pages = pages()
    await next(pages, 1, "1")
    let load = Task { await pages.loadNext() }
    while !rig.loader.waiting.contains("/items?page=2") { await Task.yield() }
    let reload = Task { await pages.reload() }
    await rig.answer("/items?page=1", "5")
    await reload.value
    await load.value

    #expect(pages.elements.map(\.id) == [5])
    #expect(rig.loader.cancellations("/items?page=2") == 1)
  }

  @Test func `signing out forgets pages`() async {
    let pages = pages()
    await next(pages, 1, "1")
    rig.live.removeAll()

    #expect(pages.elements.isEmpty && pages.pageCount == 0 && pages.hasMore)
  }

  @Test func `two callers get the same object for the same pages`() {
    let one = pages()

    #expect(pages() === one)
  }
}

@MainActor
@Suite(.timeLimit(.minutes(15)))
struct QueryScenarios {
  private let rig = Rig()

  private func search(
    debounce: Duration? = nil, keepsPrevious: Bool = false
  ) -> LiveQuery<String, String> {
    rig.live.query(debounce: debounce, keepsPrevious: keepsPrevious) { text in
      text.isEmpty ? nil : .text(at: "/search/\(text)")
    }
  }

  @Test func `a dependent resource isn't loaded before the other one has a value`() async {
    let user = rig.live.resource(.text(at: "/user"))
    let repositories = rig.live.query(by: user, \.self) { .text(at: "/repos/\($0)") }
    #expect(repositories.value == nil)
    await rig.settle()
    #expect(rig.loader.waiting == ["/user"])

    await rig.answer("/user", "octocat")
    _ = repositories.value
    await rig.answer("/repos/octocat", "swift")

    #expect(repositories.value == "swift")
  }

  @Test func `a dependent resource follows the value that it depends on`() async {
    let user = rig.live.resource(.text(at: "/user"))
    let repositories = rig.live.query(by: user, \.self) { .text(at: "/repos/\($0)") }
    user.set("one")
    _ = repositories.value
    await rig.answer("/repos/one", "1")
    user.set("two")
    #expect(repositories.value == nil)
    await rig.answer("/repos/two", "2")

    #expect(repositories.value == "2")
  }

  @Test func `observers of a dependent resource are notified when the other resource changes`()
    async
  {
    let user = rig.live.resource(.text(at: "/user"))
    let repositories = rig.live.query(by: user, \.self) { .text(at: "/repos/\($0)") }
    var states = repositories.states().makeAsyncIterator()
    _ = await states.next()
    await rig.answer("/user", "one")
    await rig.answer("/repos/one", "1")

    var value: String?
    while value == nil, let state = await states.next() { value = state.value }

    #expect(value == "1")
  }

  @Test func `a loop that was left computes no more states`() async {
    let user = rig.live.resource(.text(at: "/user"))
    user.set("0")
    var reads = 0
    let repositories = rig.live.query(by: user) { name in
      reads += 1
      return name
    } _: {
      .text(at: "/repos/\($0)")
    }
    func readsOfThreeChanges() async -> Int {
      reads = 0
      for number in 1...3 {
        user.set("\(number)")
        await rig.settle()
      }
      return reads
    }
    for _ in 0..<20 {
      var states = repositories.states().makeAsyncIterator()
      _ = await states.next()
    }
    await rig.settle()
    #expect(await readsOfThreeChanges() == 0)

    let states = repositories.states()
    await rig.settle()

    #expect(await readsOfThreeChanges() <= 6)
    withExtendedLifetime(states) {}
  }

  @Test func `without an input nothing is loaded`() async {
    let search = search()
    _ = search.value
    search.input = ""
    _ = search.value
    await rig.settle()

    #expect(rig.loader.begun.isEmpty)
    #expect(search.value == nil && !search.isLoading)
  }

  @Test func `the last query wins, and the one before is cancelled`() async {
    let search = search()
    search.input = "a"
    _ = search.value
    await rig.settle()
    search.input = "ab"
    _ = search.value
    await rig.settle()
    #expect(rig.loader.cancellations("/search/a") == 1)
    await rig.answer("/search/ab", "2")

    #expect(search.value == "2")
  }

  @Test func `the previous value stays while the key changes`() async {
    let search = search(keepsPrevious: true)
    search.input = "a"
    _ = search.value
    await rig.answer("/search/a", "1")
    search.input = "ab"
    #expect(search.value == "1")
    #expect(search.isPrevious && search.isStale)
    await rig.answer("/search/ab", "2")

    #expect(search.value == "2")
    #expect(!search.isPrevious)
  }

  @Test func `the previous value disappears unless it is kept`() async {
    let search = search()
    search.input = "a"
    _ = search.value
    await rig.answer("/search/a", "1")
    search.input = "ab"

    #expect(search.value == nil)
  }

  @Test func `the previous value stays over several keys without a value`() async {
    let search = search(keepsPrevious: true)
    search.input = "a"
    _ = search.value
    await rig.answer("/search/a", "1")
    for input in ["ab", "abc", "abcd"] {
      search.input = input
      #expect(search.value == "1")
      await rig.settle()
    }
  }

  @Test func `input that changes quickly is loaded once, when it has settled`() async {
    let search = search(debounce: .milliseconds(300))
    for input in ["s", "sw", "swi"] {
      search.input = input
      _ = search.value
      await rig.pass(.milliseconds(299))
    }
    #expect(rig.loader.begun.isEmpty)
    await rig.pass(.milliseconds(1))
    _ = search.value
    await rig.answer("/search/swi", "Swift")

    #expect(search.value == "Swift")
    #expect(rig.loader.begun.count == 1)
  }

  @Test func `an input that is removed shows nothing at once`() async {
    let search = search(debounce: .milliseconds(300), keepsPrevious: true)
    search.input = "a"
    await rig.pass(.milliseconds(300))
    _ = search.value
    await rig.answer("/search/a", "1")

    search.input = nil

    #expect(search.value == nil)
  }

  @Test func `going back to an earlier key shows its value at once`() async {
    let search = search()
    for (input, answer) in [("a", "1"), ("b", "2")] {
      search.input = input
      _ = search.value
      await rig.answer("/search/\(input)", answer)
    }
    search.input = "a"

    #expect(search.value == "1")
    #expect(rig.loads("/search/a") == 1)
  }

  @Test func `a failed query shows its error`() async {
    let search = search(keepsPrevious: true)
    search.input = "a"
    _ = search.value
    await rig.answer("/search/a", "1")
    search.input = "b"
    _ = search.value
    await rig.fail("/search/b")

    #expect(search.error != nil)
    #expect(search.isPrevious)
  }
}
