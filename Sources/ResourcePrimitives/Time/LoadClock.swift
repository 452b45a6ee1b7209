package import Foundation

/// The clock of a load, for deadlines, delays between retries and dates of responses.
///
/// It is created from any `Clock` with `Duration`s, so that a test can use one that it advances
/// itself.
package struct LoadClock: Sendable {
  /// `nil` for the system's clock, which so needs no reference counting: every load copies its
  /// clock many times on several threads.
  private let functions: Functions?

  private final class Functions: Sendable {
    let now: @Sendable () -> Duration
    let date: @Sendable () -> Date
    let sleepUntil: @Sendable (_ moment: Duration) async throws -> Void

    init(_ clock: some Clock<Duration>, date: @escaping @Sendable () -> Date) {
      let start = clock.now
      self.now = { start.duration(to: clock.now) }
      self.date = date
      self.sleepUntil = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }
  }
}

extension LoadClock {
  package static let system = LoadClock(functions: nil)

  /// The beginning of all clocks, so that times of several clients can be compared.
  private static let start = ContinuousClock.now

  /// Creates a clock. Unless it is the system's, dates advance with it, from the date of this call.
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
  /// Whether it is the system's clock, for which there are cheaper timers than a sleeping task.
  package var isSystem: Bool { functions == nil }

  package func now() -> Duration { functions?.now() ?? Self.start.duration(to: .now) }

  package func date() -> Date { functions?.date() ?? Date() }

  package func sleep(_ duration: Duration) async throws {
    try await sleepUntil(now() + duration.countable)
  }

  /// Waits until a time of the clock, which may have passed.
  package func sleepUntil(_ moment: Duration) async throws {
    let moment = min(moment, now() + .century)
    guard let functions else {
      return try await ContinuousClock().sleep(until: Self.start.advanced(by: moment))
    }
    try await functions.sleepUntil(moment)
  }
}

extension Duration {
  /// The longest wait: the system's clock ends the process at times beyond 64 bits of seconds.
  package static let century = Duration.seconds(100 * 365 * 86_400)

  /// The duration, at most a century long in either direction, so that its sum with a time of a
  /// clock can be counted.
  package var countable: Duration { min(max(self, .zero - .century), .century) }

  /// The length in seconds, for Foundation.
  package var seconds: TimeInterval {
    // `components` ends the process beyond 64 bits of seconds.
    self / .seconds(1)
  }
}
