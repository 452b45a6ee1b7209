/// Decides which loads are recorded: all of a burst, but of many thousands a second only a part, of
/// which nobody could look at each. A record keeps memory for long that would otherwise be used
/// again at once, so it costs many times as much as counting.
struct RecordingBudget: Sendable {
  /// The most loads at once.
  private let burst: Int
  private var allowance: Int
  /// When the allowance grows.
  private var next = Duration.zero

  private static let interval = Duration.milliseconds(100)
  /// The loads of an interval.
  private static let share = 50

  /// Allows a burst of all loads that are kept, or of 1,000.
  init(kept: Int) {
    burst = max(1_000, kept)
    allowance = burst
  }
}

extension RecordingBudget {

  /// Returns whether a load that began at a time is recorded.
  mutating func take(at time: Duration) -> Bool {
    if time >= next {
      // After a pause the whole burst is allowed again.
      let isIdle = time - next > .seconds(2)
      allowance += isIdle ? burst - allowance : min(Self.share, burst - allowance)
      next = time + Self.interval
    }
    guard allowance > 0 else { return false }
    allowance -= 1
    return true
  }
}
