import Foundation
import ResourceLoading
import Testing

@testable import ResourceState

struct PagesMachineTests {
  private let date = Date(timeIntervalSince1970: 0)

  /// A machine with one page of two.
  private func loaded() -> PagesMachine<Int> {
    var machine = PagesMachine<Int>(limit: nil, isInvalidated: false) { $0 }
    _ = machine.loadNext()
    take([1], into: &machine)
    return machine
  }

  @discardableResult
  private func take(
    _ elements: [Int], isLast: Bool = false, into machine: inout PagesMachine<Int>
  ) -> PagesEffects {
    guard let load = machine.load else { return PagesEffects() }
    return machine.take(load, LoadedPage(elements: elements, isLast: isLast), date: date)
  }

  @Test func `pages that are invalidated during a reload are reloaded once more`() {
    var machine = loaded()
    _ = machine.reloadAll()
    _ = machine.invalidate(isObserved: true)

    let effects = take([2], into: &machine)

    let asksServer = if case .first(_, asksServer: true)? = effects.starts { true } else { false }
    #expect(asksServer)
    #expect(machine.elements == [2] && machine.isStale)
    take([3], into: &machine)
    #expect(machine.elements == [3] && !machine.isStale && !machine.isLoading)
  }

  @Test func `pages that are invalidated during their first load are loaded once more`() {
    var machine = PagesMachine<Int>(limit: nil, isInvalidated: false) { $0 }
    _ = machine.loadNext()
    _ = machine.invalidate(isObserved: true)

    take([1], into: &machine)

    #expect(machine.isStale && machine.isLoading)
  }

  @Test func `pages that are invalidated while the next one is loaded are reloaded at once`() {
    var machine = loaded()
    _ = machine.loadNext()

    #expect(machine.invalidate(isObserved: true).cancels)
    take([2], into: &machine)

    #expect(machine.elements == [2] && !machine.isStale && !machine.isLoading)
  }

  @Test func `unobserved pages stay stale when the next one arrives`() {
    var machine = loaded()
    _ = machine.loadNext()
    _ = machine.invalidate(isObserved: false)

    take([2], isLast: true, into: &machine)

    #expect(machine.elements == [1, 2] && machine.isStale && !machine.isLoading)
  }
}

// Writes.
extension PagesMachineTests {
  private func begin(
    _ machine: inout PagesMachine<Int>, isDurable: Bool = false, write: UInt64 = 7
  ) -> PagesEffects {
    let change: (inout [Int]?) -> Void = { $0?.insert(0, at: 0) }
    return isDurable
      ? machine.beginDurableWrite(write, change) : machine.beginWrite(write, change)
  }

  @Test func `a write is shown at once, and no load runs beside it`() {
    var machine = loaded()
    _ = machine.loadNext()

    #expect(begin(&machine).cancels)
    #expect(machine.elements == [0, 1] && !machine.isLoading)
    #expect(machine.loadNext().starts == nil && machine.reloadAll().starts == nil)
    #expect(machine.endWrite(7, succeeded: true, isObserved: false).starts != nil)
    take([1], into: &machine)
    take([2], into: &machine)
    #expect(machine.elements == [1, 2] && machine.pageCount == 2 && !machine.isStale)
  }

  @Test func `a write that fails takes its change back`() {
    var machine = loaded()
    _ = begin(&machine)

    #expect(machine.endWrite(7, succeeded: false, isObserved: false).starts == nil)
    #expect(machine.elements == [1] && machine.isStale)
  }

  @Test func `observed pages are loaded when the last of several writes has ended`() {
    var machine = loaded()
    _ = begin(&machine)
    _ = begin(&machine, write: 8)
    #expect(machine.elements == [0, 0, 1])

    #expect(machine.endWrite(7, succeeded: true, isObserved: true).starts == nil)
    #expect(machine.endWrite(8, succeeded: false, isObserved: true).starts != nil)
    #expect(machine.elements == [0, 1])
  }

  @Test func `loads go on below the changes of a durable write`() {
    var machine = loaded()
    _ = machine.loadNext()

    #expect(!begin(&machine, isDurable: true).cancels)
    take([2], into: &machine)
    #expect(machine.elements == [0, 1, 2])
    _ = machine.reloadAll()
    take([3], into: &machine)
    take([4], isLast: true, into: &machine)
    #expect(machine.elements == [0, 3, 4] && !machine.hasMore)
  }

  @Test func `what is loaded when a durable write ends is loaded anew`() {
    var machine = loaded()
    _ = begin(&machine, isDurable: true)
    _ = machine.loadNext()
    let load = machine.load

    let effects = machine.endWrite(7, succeeded: true, isObserved: false)

    #expect(effects.cancels && effects.starts != nil && machine.load != load)
    #expect(machine.elements == [0, 1])
    take([1], into: &machine)
    take([2], into: &machine)
    #expect(machine.elements == [1, 2])
  }

  @Test func `a change waits for the first page`() {
    var machine = PagesMachine<Int>(limit: nil, isInvalidated: false) { $0 }
    _ = begin(&machine, isDurable: true)
    #expect(machine.elements.isEmpty)
    _ = machine.loadNext()
    take([1], into: &machine)
    #expect(machine.elements == [0, 1])
    _ = machine.clear()
    #expect(machine.elements.isEmpty)
    #expect(machine.endWrite(7, succeeded: true, isObserved: true).starts == nil)
  }

  @Test func `the error of a refused write is shown until the user has dealt with it`() {
    var machine = loaded()
    _ = machine.noteRefusal(of: 7, CancellationError())
    #expect(machine.error is CancellationError)
    _ = machine.noteRefusal(of: 7, nil)
    #expect(machine.error == nil)
  }
}

// Windows.
extension PagesMachineTests {
  /// A machine with a window of one page, which has dropped the first of two.
  private func windowed() -> PagesMachine<Int> {
    var machine = PagesMachine<Int>(limit: nil, window: 1, isInvalidated: false) { $0 }
    for page in 1...2 {
      _ = machine.loadNext()
      takePage(page, into: &machine)
    }
    return machine
  }

  @discardableResult
  private func takePage(_ page: Int, into machine: inout PagesMachine<Int>) -> PagesEffects {
    guard let load = machine.load else { return PagesEffects() }
    let loaded = LoadedPage(elements: [page], isLast: false, request: .get("/\(page)"))
    return machine.take(load, loaded, date: date)
  }

  @Test func `the page before waits for a load under way`() {
    var machine = windowed()
    _ = machine.loadNext()
    #expect(machine.loadPrevious().starts == nil)

    let effects = takePage(3, into: &machine)

    let path = if case .previous(let request, _)? = effects.starts { request.path } else { "" }
    #expect(path == "/2" && !effects.ended)
    #expect(takePage(2, into: &machine).ended)
    #expect(machine.elements == [2] && machine.hasMore)
  }

  @Test func `the page before waits for a write`() {
    var machine = windowed()
    _ = machine.loadPrevious()
    #expect(begin(&machine).cancels)
    #expect(machine.elements == [0, 2])

    #expect(machine.endWrite(7, succeeded: false, isObserved: false).starts != nil)
    // The kept pages first, because the write may have changed them.
    takePage(2, into: &machine)
    takePage(1, into: &machine)
    #expect(machine.elements == [1] && !machine.hasPrevious && !machine.isLoading)
  }

  @Test func `a page that was dropped before an invalidation isn't read from a cache`() {
    var machine = windowed()
    _ = machine.invalidate(isObserved: true)
    takePage(2, into: &machine)
    #expect(!machine.isStale)

    let effects = machine.loadPrevious()

    let asksServer =
      if case .previous(_, asksServer: true)? = effects.starts { true } else { false }
    #expect(asksServer)
  }

  @Test func `a page before that can't be loaded leaves the others alone`() {
    var machine = windowed()
    _ = machine.loadPrevious()
    _ = machine.fail(machine.load ?? 0, LoadError(.connection, "down"))

    #expect(machine.error != nil && machine.elements == [2] && machine.hasPrevious)
    let isNext = if case .next? = machine.loadNext().starts { true } else { false }
    #expect(isNext)
  }

  @Test func `a window that is behind the end of the list begins anew`() {
    var machine = windowed()
    _ = machine.reloadAll()
    guard let load = machine.load else { return }

    let effects = machine.take(load, LoadedPage(elements: [], isLast: true), date: date)

    let isFirst = if case .first(nil, asksServer: true)? = effects.starts { true } else { false }
    #expect(isFirst && machine.elements == [2])
    takePage(1, into: &machine)
    #expect(machine.elements == [1] && !machine.hasPrevious)
  }

  @Test func `a page before that has gone isn't loaded later instead of the next one`() {
    var machine = windowed()
    _ = machine.reloadAll()
    _ = machine.loadPrevious()
    guard let load = machine.load else { return }
    _ = machine.take(load, LoadedPage(elements: [], isLast: true), date: date)
    #expect(takePage(1, into: &machine).ended)

    _ = machine.loadNext()

    #expect(takePage(2, into: &machine).ended)
    #expect(machine.elements == [2] && !machine.isLoading)
  }
}
