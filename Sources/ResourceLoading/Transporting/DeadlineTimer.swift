import Dispatch
import Synchronization

/// Runs a closure once at a moment, unless it is cancelled before.
final class DeadlineTimer: Sendable {
  private let source: Mutex<Source>

  private enum Source {
    case system(any DispatchSourceTimer)
    case task(Task<Void, Never>)
  }

  /// Starts the timer.
  ///
  /// - Parameters:
  ///   - deadline: The moment on the clock; one in the past means at once.
  ///   - clock: What counts the time.
  ///   - action: Runs in the background.
  init(at deadline: Duration, on clock: LoadClock, _ action: @escaping @Sendable () -> Void) {
    let wait = max(.zero, deadline - clock.now())
    source = Mutex(
      clock.isSystem
        ? .system(Self.timer(after: wait, action)) : .task(Self.task(wait, clock, action)))
  }

  private static func timer(
    after wait: Duration, _ action: @escaping @Sendable () -> Void
  ) -> sending any DispatchSourceTimer {
    let source = DispatchSource.makeTimerSource(queue: .global())
    source.schedule(deadline: .now() + wait.dispatchInterval, leeway: .milliseconds(1))
    source.setEventHandler(handler: action)
    source.activate()
    return source
  }

  private static func task(
    _ wait: Duration, _ clock: LoadClock, _ action: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    Task.detached {
      guard (try? await clock.sleep(wait)) != nil else { return }
      action()
    }
  }

  /// Stops it; without effect if it ran already.
  func cancel() {
    source.withLock { source in
      switch source {
      case .system(let timer): timer.cancel()
      case .task(let task): task.cancel()
      }
    }
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
