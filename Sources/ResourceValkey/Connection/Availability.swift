#if Valkey && canImport(CResourceHiredis)
  /// Whether a server can be used. After a failure nothing is sent to it for a time, which doubles
  /// with each failure in a row. Then one connection tries it.
  struct Availability: Sendable {
    private let pauses: ClosedRange<Duration>
    private var failures = 0
    private var state = State.available

    private enum State: Sendable {
      case available
      case pausing(until: ContinuousClock.Instant)
      case trying
    }

    init(pauses: ClosedRange<Duration>) { self.pauses = pauses }
  }

  extension Availability {
    enum Use: Sendable, Hashable {
      case available
      case unavailable
      /// Not available, but it is time to try the server.
      case dueForTrial
    }

    var isAvailable: Bool { if case .available = state { true } else { false } }

    /// Returns whether the server can be used. The caller must try the server if that is due.
    mutating func use(at now: ContinuousClock.Instant) -> Use {
      switch state {
      case .available: return .available
      case .trying: return .unavailable
      case .pausing(let end):
        guard now >= end else { return .unavailable }
        state = .trying
        return .dueForTrial
      }
    }

    mutating func noteSuccess() { (failures, state) = (0, .available) }

    /// Records a failure. Failures of other connections during the pause don't make it longer.
    ///
    /// - Parameter jitter: Between 0 and 1, so that many processes don't try the server at once.
    mutating func noteFailure(at now: ContinuousClock.Instant, jitter: Double) {
      if case .pausing = state { return }
      let pause = min(pauses.lowerBound * (1 << min(failures, 30)), pauses.upperBound)
      failures += 1
      state = .pausing(until: now + pause * (0.5 + jitter / 2))
    }
  }
#endif
