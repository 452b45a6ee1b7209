import Dispatch
import Synchronization

/// Runs a closure once at a moment, unless it is cancelled before.
final class DeadlineTimer: Sendable {
  private let source: Mutex<any DispatchSourceTimer>

  /// Starts the timer.
  ///
  /// - Parameters:
  ///   - deadline: The moment; one in the past means at once.
  ///   - action: Runs on a background queue.
  init(at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
    let wait = max(.zero, ContinuousClock.now.duration(to: deadline))
    let source = DispatchSource.makeTimerSource(queue: .global())
    source.schedule(deadline: .now() + wait.dispatchInterval, leeway: .milliseconds(1))
    source.setEventHandler(handler: action)
    source.activate()
    self.source = Mutex(source)
  }

  /// Stops it; without effect if it ran already.
  func cancel() {
    source.withLock { $0.cancel() }
  }

  deinit {
    cancel()
  }
}

extension Duration {
  /// The same length for Dispatch, at most a hundred years.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let century: Int64 = 100 * 365 * 86_400  // in seconds; in nanoseconds it fits an Int64
    let (seconds, attoseconds) = components
    guard seconds < century else { return .seconds(Int(century)) }
    return .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
  }
}
