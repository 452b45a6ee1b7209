import Foundation
import ResourceLoading
import ResourceTesting
import Testing

@testable import ResourceState

/// Each property that a view can read notifies its observers.
@MainActor
@Suite(.timeLimit(.minutes(15)))
struct NotificationTests {
  private let rig = Rig()

  /// Pages of letters, one after another until one is empty.
  private func pages() -> LivePages<Letter> {
    rig.live.pages(
      of: .text(at: "/list"), by: .page("page") { !$0.isEmpty },
      elements: { $0.map(Letter.init) })
  }

  @Test func `pages notify the observers of each property that changes`() async {
    let pages = pages()
    let reads: [(String, @MainActor () -> Void)] = [
      ("elements", { _ = pages.elements }), ("pageCount", { _ = pages.pageCount }),
      ("hasMore", { _ = pages.hasMore }), ("isLoading", { _ = pages.isLoading }),
      ("error", { _ = pages.error }), ("isStale", { _ = pages.isStale }),
      ("updated", { _ = pages.updated }),
    ]
    func changed(by event: () async -> Void) async -> Set<String> {
      let counters = reads.map { ($0.0, ChangeCounter($0.1)) }
      await rig.settle()
      let before = counters.map(\.1.count)
      rig.clock.advance(by: .seconds(1))
      await event()
      await rig.settle()
      return Set(zip(counters, before).compactMap { $0.1.count > $1 ? $0.0 : nil })
    }

    var changes = await changed { await rig.answer("/list?page=1", "a") }
    #expect(changes == ["elements", "pageCount", "isLoading", "updated"])
    changes = await changed {
      let next = Task { await pages.loadNext() }
      await rig.answer("/list?page=2", "")
      await next.value
    }
    #expect(changes == ["pageCount", "hasMore", "isLoading", "updated"])
    changes = await changed {
      pages.invalidate()
      await rig.fail("/list?page=1")
    }
    #expect(changes == ["isLoading", "error", "isStale"])
  }

  @Test func `a query notifies the observers of its input`() async {
    let search = rig.live.query { (text: String) in .text(at: "/\(text)") }
    let counter = ChangeCounter { _ = search.input }

    search.input = "a"
    await rig.settle()
    search.input = "a"
    await rig.settle()

    #expect(counter.count == 1)
  }
}

/// An element of pages.
private struct Letter: Identifiable, Equatable {
  let id: Character
}
