import Synchronization

/// Work for the next turn of the main actor. It is counted so that a test can wait for its end.
final class LiveTurns: Sendable {
  private let pending = Atomic<Int>(0)
  private let loads = Atomic<Int>(0)
  private let waiting = Mutex<[@MainActor @Sendable () -> Void]>([])

  /// The number of closures that haven't run.
  var count: Int { pending.load(ordering: .acquiring) }

  /// The number of loads whose outcome hasn't been delivered, including cancelled ones.
  var loadCount: Int { loads.load(ordering: .acquiring) }

  /// Counts a load until ``endLoad()``.
  func beginLoad() { loads.add(1, ordering: .acquiringAndReleasing) }

  func endLoad() { loads.subtract(1, ordering: .acquiringAndReleasing) }

  /// Runs a closure in the next turn of the main actor, after those that were scheduled earlier.
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
