import ResourcePrimitives

/// The state machine of a circuit breaker: what one host has answered lately, and whether requests
/// may be sent to it. The owner holds the lock and passes the time.
struct CircuitBreaker: Sendable {
  private let rule: CircuitBreakerMiddleware.Rule
  private var state: State

  private enum State: Sendable {
    case closed(OutcomeWindow)
    /// Nothing is sent until a time.
    case open(until: Duration, failures: OutcomeWindow.Counts)
    /// One request is on its way.
    case probing(failures: OutcomeWindow.Counts)
  }

  /// The number of times that it has opened without closing in between.
  private var openings = 0
  /// Grows with each change of the state, so that an outcome from before it counts no more.
  private var generation = 0

  init(_ rule: CircuitBreakerMiddleware.Rule) {
    self.rule = rule
    state = .closed(OutcomeWindow(rule.window))
  }
}

extension CircuitBreaker {
  /// Identifies a request that was let through.
  struct Pass: Sendable {
    fileprivate let generation: Int
    /// Whether the state changed because of it: it is a probe.
    let isProbe: Bool
  }

  /// Whether a request may be sent.
  enum Admission: Sendable {
    case passes(Pass)
    /// It fails at once. A probe may be sent after a wait, which is zero while one is on its way.
    case refused(wait: Duration, OutcomeWindow.Counts)
  }

  /// Lets a request pass, or refuses it.
  mutating func admit(at now: Duration) -> Admission {
    switch state {
    case .closed: return .passes(Pass(generation: generation, isProbe: false))
    case .open(let end, let failures):
      guard end <= now else { return .refused(wait: end - now, failures) }
      change(to: .probing(failures: failures))
      return .passes(Pass(generation: generation, isProbe: true))
    case .probing(let failures): return .refused(wait: .zero, failures)
    }
  }

  /// What a request says about its host.
  enum Outcome: Sendable {
    case success
    case failure
    /// Nothing: it was cancelled.
    case unknown
  }

  /// Records the outcome of a request that was let through.
  ///
  /// - Returns: The state that it has led to; `nil` if it stays as it was.
  mutating func record(
    _ outcome: Outcome, of pass: Pass, at now: Duration
  ) -> LoadEvent.CircuitState? {
    guard pass.generation == generation else { return nil }
    switch state {
    case .closed(var window):
      guard outcome != .unknown else { return nil }
      window.add(isFailure: outcome == .failure, at: now)
      let counts = window.counts(at: now)
      guard outcome == .failure, counts.total >= rule.minimumRequests,
        Double(counts.failures) >= rule.failureRatio * Double(counts.total)
      else {
        state = .closed(window)
        return nil
      }
      return open(after: counts, at: now)
    case .probing(let failures):
      switch outcome {
      case .success:
        openings = 0
        change(to: .closed(OutcomeWindow(rule.window)))
        return .closed
      case .failure: return open(after: failures, at: now)
      case .unknown:
        // The next request is a probe, too.
        change(to: .open(until: now, failures: failures))
        return nil
      }
    case .open: return nil
    }
  }

  /// Returns whether nothing has happened for so long that a new breaker would do the same.
  func isIdle(at now: Duration) -> Bool {
    if case .closed(let window) = state { window.counts(at: now).total == 0 } else { false }
  }

  private mutating func open(
    after counts: OutcomeWindow.Counts, at now: Duration
  ) -> LoadEvent.CircuitState {
    let backoff = rule.pause(afterOpenings: openings)
    openings += 1
    change(to: .open(until: now + backoff, failures: counts))
    return .open
  }

  private mutating func change(to state: State) {
    self.state = state
    generation += 1
  }
}

/// The outcomes of the requests in the last span of time, counted in tenths of it.
struct OutcomeWindow: Sendable {
  private let tenth: Duration
  private var parts: [Part] = []

  private struct Part {
    let number: Int64
    var counts: Counts
  }

  /// Numbers of requests.
  struct Counts: Sendable, Hashable {
    var total = 0
    var failures = 0
  }

  init(_ duration: Duration) { tenth = max(duration.countable / 10, .nanoseconds(1)) }
}

extension OutcomeWindow {
  mutating func add(isFailure: Bool, at now: Duration) {
    let number = number(at: now)
    parts = parts.filter { isRecent($0, at: number) }
    var counts = Counts()
    if let last = parts.last, last.number == number { counts = parts.removeLast().counts }
    counts.total += 1
    if isFailure { counts.failures += 1 }
    parts.append(Part(number: number, counts: counts))
  }

  func counts(at now: Duration) -> Counts {
    let number = number(at: now)
    return parts.lazy.filter { isRecent($0, at: number) }.reduce(into: Counts()) { sum, part in
      sum.total += part.counts.total
      sum.failures += part.counts.failures
    }
  }

  private func number(at now: Duration) -> Int64 { Int64((now / tenth).rounded(.down)) }

  private func isRecent(_ part: Part, at number: Int64) -> Bool { part.number > number - 10 }
}
