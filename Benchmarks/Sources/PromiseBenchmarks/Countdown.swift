import Dispatch
import Synchronization

/// Lets a thread wait until handlers on other threads have run.
final class Countdown: Sendable {
  private let left: Atomic<Int>
  private let zero = DispatchSemaphore(value: 0)

  init(_ count: Int) {
    left = Atomic(count)
  }

  func tick() {
    if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { zero.signal() }
  }

  func wait() {
    zero.wait()
  }
}
