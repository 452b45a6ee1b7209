import Foundation
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

    let asksServer = if case .first(asksServer: true)? = effects.starts { true } else { false }
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
