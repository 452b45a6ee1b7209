import Synchronization

/// Work for the next turn of the main actor, counted, so that a test can wait until all of it is done.
final class LiveTurns: Sendable {
  private let pending = Atomic<Int>(0)
  private let loads = Atomic<Int>(0)
  private let waiting = Mutex<[@MainActor @Sendable () -> Void]>([])

  /// The number of pieces of work that aren't done.
  var count: Int { pending.load(ordering: .acquiring) }

  /// The number of loads whose outcome wasn't delivered yet, those that were cancelled included.
  var loadCount: Int { loads.load(ordering: .acquiring) }

  /// Counts a load until ``endLoad()``.
  func beginLoad() { loads.add(1, ordering: .acquiringAndReleasing) }

  func endLoad() { loads.subtract(1, ordering: .acquiringAndReleasing) }

  /// Runs a closure in a later turn of the main actor, together with those that wait for it already.
  func schedule(_ body: @escaping @MainActor @Sendable () -> Void) {
    pending.add(1, ordering: .acquiringAndReleasing)
    let isFirst = waiting.withLock { waiting in
      waiting.append(body)
      return waiting.count == 1
    }
    if isFirst { Task { @MainActor in run() } }
  }

  @MainActor
  private func run() {
    let bodies = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for body in bodies {
      body()
      pending.subtract(1, ordering: .acquiringAndReleasing)
    }
  }
}
