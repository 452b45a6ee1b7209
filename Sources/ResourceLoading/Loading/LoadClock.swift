import Foundation

/// The time of a load: the same for deadlines, waits between retries and dates of responses.
///
/// Made of any `Clock` that counts `Duration`s, so that a test can hand in one that it moves itself.
struct LoadClock: Sendable {
  /// How long it has been running, from a beginning of its own.
  let now: @Sendable () -> Duration
  /// The date on the calendar.
  let date: @Sendable () -> Date
  /// Waits; throws `CancellationError` as soon as the calling task is cancelled.
  let sleep: @Sendable (_ duration: Duration) async throws -> Void
  /// Waits until a moment, however late it begins to; throws `CancellationError` as soon as the calling task
  /// is cancelled.
  let sleepUntil: @Sendable (_ moment: Duration) async throws -> Void
  /// Whether it is the system's, for which there are cheaper timers than a sleeping task.
  let isSystem: Bool
}

extension LoadClock {
  /// The clock of the system.
  static let system = LoadClock(ContinuousClock(), isSystem: true, date: { Date() })

  /// The time as a clock counts it. Unless it is the system's, the calendar moves with it, from the moment
  /// of this call.
  init(_ clock: some Clock<Duration>) {
    if clock is ContinuousClock {
      // One beginning for all, so that what several clients share can compare their times.
      self = .system
    } else if clock is SuspendingClock {
      self.init(clock, isSystem: false, date: { Date() })
    } else {
      let (start, startDate) = (clock.now, Date())
      self.init(clock, isSystem: false) {
        startDate.addingTimeInterval(start.duration(to: clock.now).seconds)
      }
    }
  }

  private init(
    _ clock: some Clock<Duration>, isSystem: Bool, date: @escaping @Sendable () -> Date
  ) {
    let start = clock.now
    self.now = { start.duration(to: clock.now) }
    self.date = date
    self.sleep = { try await clock.sleep(for: $0) }
    self.sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    self.isSystem = isSystem
  }
}

extension Duration {
  /// The length in seconds, for Foundation.
  var seconds: TimeInterval {
    TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
  }
}
