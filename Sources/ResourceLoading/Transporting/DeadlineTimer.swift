/// Runs a closure once at a moment, unless it is cancelled before.
final class DeadlineTimer: Sendable {
  private let source: Source

  private enum Source: Sendable {
    case system(DeadlineQueue.Ticket)
    case task(Task<Void, Never>)
  }

  /// Starts the timer.
  ///
  /// - Parameters:
  ///   - deadline: The moment on the clock; one in the past means at once.
  ///   - clock: What counts the time.
  ///   - action: Runs in the background.
  init(at deadline: Duration, on clock: LoadClock, _ action: @escaping @Sendable () -> Void) {
    source =
      clock.isSystem
      ? .system(DeadlineQueue.shared.add(after: max(.zero, deadline - clock.now()), action))
      : .task(Self.task(deadline, clock, action))
  }

  private static func task(
    _ deadline: Duration, _ clock: LoadClock, _ action: @escaping @Sendable () -> Void
  ) -> Task<Void, Never> {
    Task.detached {
      guard (try? await clock.sleepUntil(deadline)) != nil else { return }
      action()
    }
  }

  /// Stops it; without effect if it ran already.
  func cancel() {
    switch source {
    case .system(let ticket): DeadlineQueue.shared.remove(ticket)
    case .task(let task): task.cancel()
    }
  }

  deinit {
    cancel()
  }
}
