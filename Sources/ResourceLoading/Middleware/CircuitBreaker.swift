import ResourcePrimitives

/// The state machine of a circuit breaker for one host: the latest outcomes, and whether requests may
/// be sent. The owner holds the lock and passes the time.
struct CircuitBreaker: Sendable {
  private let rule: CircuitBreakerMiddleware.Rule
  private var state: State

  private enum State: Sendable {
    case closed(OutcomeWindow)
    /// Nothing is sent before a time.
    case open(until: Duration, failures: OutcomeWindow.Counts)
    /// A probe is under way. If it is a stream, which may last for hours, another one may be sent
    /// after a time.
    case probing(until: Duration?, failures: OutcomeWindow.Counts)
  }

  /// How often it has opened without closing.
  private var openings = 0
  /// Grows with each change of state, so that earlier outcomes no longer count.
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
    let isProbe: Bool
  }

  /// Whether a request may be sent.
  enum Admission: Sendable {
    case passes(Pass)
    /// It fails at once. The wait until the next probe is zero while one is under way.
    case refused(wait: Duration, OutcomeWindow.Counts)
  }

  /// Decides about a request. `lasts` means that its end may say nothing about the host, because it
  /// is that of a stream or a download.
  mutating func admit(at now: Duration, lasts: Bool = false) -> Admission {
    switch state {
    case .closed: return .passes(Pass(generation: generation, isProbe: false))
    case .open(let end, let failures):
      guard end <= now else { return .refused(wait: end - now, failures) }
      generation += 1
      return probe(at: now, lasts, failures)
    case .probing(let end, let failures):
      guard let end, end <= now else { return .refused(wait: .zero, failures) }
      return probe(at: now, lasts, failures)
    }
  }

  /// Lets a probe through. The first outcome of all probes counts.
  private mutating func probe(
    at now: Duration, _ lasts: Bool, _ failures: OutcomeWindow.Counts
  ) -> Admission {
    let pause = rule.pause(afterOpenings: max(0, openings - 1))
    state = .probing(until: lasts ? now + pause : nil, failures: failures)
    return .passes(Pass(generation: generation, isProbe: true))
  }

  /// The outcome of a request.
  enum Outcome: Sendable {
    case success
    case failure
    /// It was cancelled.
    case unknown
  }

  /// Records the outcome of a request that was let through, and returns the new state; `nil` if it
  /// hasn't changed.
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
    case .probing(_, let failures):
      switch outcome {
      case .success:
        openings = 0
        change(to: .closed(OutcomeWindow(rule.window)))
        return .closed
      case .failure: return open(after: failures, at: now)
      case .unknown:
        // The next request is the probe.
        change(to: .open(until: now, failures: failures))
        return nil
      }
    case .open: return nil
    }
  }

  /// Returns whether a new breaker would act the same.
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

/// The outcomes of requests over a sliding period, counted in tenths of it.
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
