/// Counts durations in ranges whose widths grow with them, so that it takes little memory and gives
/// each percentile with an error of at most one sixteenth.
struct LatencyHistogram: Sendable {
  private var counts = [UInt32](repeating: 0, count: Self.rangeCount)
  private(set) var count = 0
  private(set) var maximum = Duration.zero

  /// Sixteen ranges for each power of two.
  private static let bits = 4
  /// Nearly thirteen days, in microseconds. Longer durations count as this one.
  private static let largest: UInt64 = 1 << 40 - 1
  private static let rangeCount = (41 - bits) << bits
}

extension LatencyHistogram {
  mutating func add(_ duration: Duration) {
    counts[Self.range(of: duration.microseconds)] &+= 1
    count += 1
    maximum = max(maximum, duration)
  }

  /// Returns a duration that a share of all durations doesn't exceed; `nil` if there are none.
  func percentile(_ share: Double) -> Duration? {
    guard count > 0 else { return nil }
    let rank = max(1, Int((Double(count) * share).rounded(.up)))
    var sum = 0
    for (index, count) in counts.enumerated() {
      sum += Int(count)
      if sum >= rank { return min(.microseconds(Int64(Self.end(of: index))), maximum) }
    }
    return maximum
  }

  private static func range(of value: UInt64) -> Int {
    let value = min(value, largest)
    guard value >= 1 << bits else { return Int(value) }
    let shift = 63 - value.leadingZeroBitCount - bits
    return (shift << bits) + Int(value >> shift)
  }

  /// The largest value in a range.
  private static func end(of range: Int) -> UInt64 {
    guard range >= 1 << bits else { return UInt64(range) }
    let shift = range >> bits - 1
    return UInt64(range - shift << bits + 1) << shift - 1
  }
}

extension Duration {
  /// The whole microseconds; 0 for negative durations.
  fileprivate var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    // More can't be counted in microseconds.
    guard seconds < 1 << 40 else { return .max }
    return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
  }
}
