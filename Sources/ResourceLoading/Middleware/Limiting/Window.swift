/// The times of the last events, so that there are never more than so many in a span of time.
struct Window: Sendable {
  private let count: Int
  private let duration: Duration
  /// At most `count`; once there are as many, a ring.
  private var times: [Duration] = []
  private var oldest = 0

  init(_ count: Int, per duration: Duration) {
    self.count = count
    self.duration = duration
  }
}

extension Window {
  /// Takes note of an event, if there is room for one.
  ///
  /// - Returns: How long it is until there is room; `nil` if there was.
  mutating func enter(at now: Duration) -> Duration? {
    guard times.count == count else {
      times.append(now)
      return nil
    }
    // A time to come is of another clock, which is ahead of this one. It counts as the present.
    times[oldest] = min(times[oldest], now)
    let end = times[oldest] + duration
    guard end <= now else { return end - now }
    times[oldest] = now
    oldest = (oldest + 1) % count
    return nil
  }

  /// Whether no event of the past bears on one at this time.
  func isEmpty(at now: Duration) -> Bool { times.allSatisfy { $0 + duration <= now } }
}
