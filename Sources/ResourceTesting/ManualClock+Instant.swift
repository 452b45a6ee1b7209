extension ManualClock {
  /// A point of a manual clock's time.
  public struct Instant: InstantProtocol, Sendable, Hashable {
    /// The time since the clock was made.
    public let offset: Duration

    /// Makes the instant at `offset` from the clock's beginning.
    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    /// The instant that is `duration` later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// How much later `other` is; negative if it is earlier.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Whether `left` is the earlier one.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }
  }
}
