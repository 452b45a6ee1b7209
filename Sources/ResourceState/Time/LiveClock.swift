import Foundation

/// The time of live resources: any clock that counts `Duration`s, as times since its beginning.
struct LiveClock: Sendable {
  /// The time since the beginning.
  let now: @Sendable () -> Duration
  /// The date on the calendar, which moves with the clock.
  let date: @Sendable () -> Date
  /// Suspends until a time; throws `CancellationError` as soon as the task is cancelled.
  let sleep: @Sendable (_ until: Duration) async throws -> Void

  init(_ clock: some Clock<Duration>) {
    let (start, startDate) = (clock.now, Date())
    let isSystem = clock is ContinuousClock || clock is SuspendingClock
    now = { start.duration(to: clock.now) }
    date = {
      isSystem ? Date() : startDate.addingTimeInterval(start.duration(to: clock.now).inSeconds)
    }
    sleep = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
  }
}

extension Duration {
  /// The length in seconds, for Foundation.
  var inSeconds: TimeInterval {
    TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
  }
}
