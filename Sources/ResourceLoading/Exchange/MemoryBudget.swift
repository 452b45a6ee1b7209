import Synchronization

/// The number of bytes that the bodies of all loads of a client may take in memory.
final class MemoryBudget: Sendable {
  let limit: Int
  private let used = Mutex(0)

  init(_ limit: Int) { self.limit = limit }

  /// Takes some bytes. Returns `false` if too few are left.
  func take(_ count: Int) -> Bool {
    used.withLock { used in
      guard count <= limit - used else { return false }
      used += count
      return true
    }
  }

  func giveBack(_ count: Int) { used.withLock { $0 -= count } }
}

/// The bytes that one load has taken from a budget. The end of the load returns them.
struct MemoryShare: ~Copyable, Sendable {
  /// `nil` for any number of bytes.
  let budget: MemoryBudget?
  private let taken = Mutex(0)

  init(of budget: MemoryBudget?) { self.budget = budget }

  deinit { giveBack() }
}

extension MemoryShare {
  func take(_ count: Int) -> Bool {
    guard let budget else { return true }
    guard budget.take(count) else { return false }
    taken.withLock { $0 += count }
    return true
  }

  func giveBack(_ count: Int) {
    taken.withLock { $0 -= count }
    budget?.giveBack(count)
  }

  func giveBack() {
    guard let budget else { return }
    let count = takeAll()
    if count > 0 { budget.giveBack(count) }
  }

  /// Takes over the bytes of another share of the same budget.
  func adopt(_ other: borrowing MemoryShare) {
    let count = other.takeAll()
    taken.withLock { $0 += count }
  }

  private func takeAll() -> Int {
    taken.withLock { taken in
      defer { taken = 0 }
      return taken
    }
  }
}
