package import Foundation

/// The time of a load: the same for deadlines, waits between retries and dates of responses.
///
/// Made of any `Clock` that counts `Duration`s, so that a test can hand in one that it moves itself.
package struct LoadClock: Sendable {
  /// `nil` for the system's. Every load copies its clock many times, on several threads at once: the usual
  /// one has nothing to be counted.
  private let functions: Functions?

  private final class Functions: Sendable {
    let now: @Sendable () -> Duration
    let date: @Sendable () -> Date
    let sleep: @Sendable (_ duration: Duration) async throws -> Void
    let sleepUntil: @Sendable (_ moment: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>, date: @escaping @Sendable () -> Date) {
      let start = clock.now
      self.now = { start.duration(to: clock.now) }
      self.date = date
      self.sleep = { try await clock.sleep(for: $0) }
      self.sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
  }
}

extension LoadClock {
  /// The clock of the system.
  static let system = LoadClock(functions: nil)

  /// One beginning for all, so that what several clients share can compare their times.
  private static let start = ContinuousClock.now

  /// The time as a clock counts it. Unless it is the system's, the calendar moves with it, from the moment
  /// of this call.
  package init(_ clock: some Clock<Duration>) {
    if clock is ContinuousClock {
      self = .system
    } else if clock is SuspendingClock {
      functions = Functions(clock) { Date() }
    } else {
      let (start, startDate) = (clock.now, Date())
      functions = Functions(clock) {
        startDate.addingTimeInterval(start.duration(to: clock.now).seconds)
      }
    }
  }
}

extension LoadClock {
  /// Whether it is the system's, for which there are cheaper timers than a sleeping task.
  var isSystem: Bool { functions == nil }

  /// How long it has been running, from a beginning of its own.
  func now() -> Duration { functions?.now() ?? Self.start.duration(to: .now) }

  /// The date on the calendar.
  package func date() -> Date { functions?.date() ?? Date() }

  /// Waits; throws `CancellationError` as soon as the calling task is cancelled.
  package func sleep(_ duration: Duration) async throws {
    guard let functions else { return try await ContinuousClock().sleep(for: duration) }
    try await functions.sleep(duration)
  }

  /// Waits until a moment, however late it begins to; throws `CancellationError` as soon as the calling task
  /// is cancelled.
  func sleepUntil(_ moment: Duration) async throws {
    guard let functions else {
      return try await ContinuousClock().sleep(until: Self.start.advanced(by: moment))
    }
    try await functions.sleepUntil(moment)
  }
}

extension Duration {
  /// The length in seconds, for Foundation.
  package var seconds: TimeInterval {
    TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
  }
}

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
