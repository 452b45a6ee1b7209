import ResourcePrimitives
import Synchronization

/// Stops sending requests to a failing host, and probes it from time to time.
///
/// While the circuit is closed, all requests are sent. When too many of the latest requests to a
/// host have failed, it opens: loads fail at once, without a request, with a ``LoadError`` of kind
/// ``LoadError/Kind/circuitOpen``. After a pause one request is sent as a probe. If it succeeds, the
/// circuit closes; if it fails, the circuit stays open for twice as long. If it is a stream or a
/// download that takes longer than the pause, another one is sent, and the first of them to end
/// counts.
///
/// Lost connections, timeouts, and the statuses 500, 502, 503 and 504 are failures. A cancelled load
/// is neither a failure nor a success.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), CircuitBreakerMiddleware()]
/// }
/// ```
///
/// Put it after ``RetryMiddleware``, so that each attempt counts, and after limits, so that waiting
/// for a turn doesn't. What an open circuit refuses isn't retried. Each change of state is reported as ``LoadEvent/Kind/circuit(_:host:)``.
public final class CircuitBreakerMiddleware: PredictableMiddleware {
  private let rule: Rule
  private let state = Mutex(State())

  private struct State {
    var hosts: [Origin: CircuitBreaker] = [:]
    private var keptCount = 0

    /// Forgets hosts without recent outcomes whenever the number of hosts has doubled.
    mutating func forgetIdleHosts(at now: Duration) {
      guard hosts.count > 2 * keptCount + 64 else { return }
      hosts = hosts.filter { !$0.value.isIdle(at: now) }
      keptCount = hosts.count
    }
  }

  /// When a circuit opens, and for how long.
  public struct Rule: Sendable, Hashable {
    /// The share of failures in the window at which it opens, greater than 0 and at most 1.
    public var failureRatio = 0.5

    /// The fewest requests in the window at which it may open.
    public var minimumRequests = 20

    /// The period over which requests are counted.
    public var window = Duration.seconds(10)

    /// How long the circuit stays open at first. The pause doubles with each failed probe.
    public var pause = Duration.seconds(2)

    /// The longest pause.
    public var maximumPause = Duration.seconds(60)

    /// Creates a rule: half of at least 20 requests in 10 seconds.
    public init() {}
  }

  /// Creates a circuit breaker. Clients with the same instance share it.
  ///
  /// - Parameter configure: Changes the rule.
  public init(_ configure: (inout Rule) -> Void = { _ in }) {
    var rule = Rule()
    configure(&rule)
    precondition(
      rule.failureRatio > 0 && rule.failureRatio <= 1,
      "the failureRatio must be greater than 0 and at most 1")
    precondition(
      rule.window > .zero && rule.pause > .zero, "the window and the pause must be positive")
    self.rule = rule
  }

  /// Passes on the request if the circuit of its host is closed, or as a probe.
  ///
  /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/circuitOpen`` if the circuit is open; what
  ///   the next middleware throws.
  public func respond(to request: Request, next: Next) async throws -> Response {
    let origin = request.url.origin
    let pass = try admit(origin, next)
    var outcome = CircuitBreaker.Outcome.unknown
    defer { record(outcome, of: pass, origin, next) }
    do {
      let response = try await next(request)
      outcome = Self.failures.contains(response.status) ? .failure : .success
      return response
    } catch {
      outcome = Self.outcome(after: next.context.cause(of: error))
      throw error
    }
  }
}

extension CircuitBreakerMiddleware {
  private static let failures: Set<Status> = [500, 502, 503, 504]

  private static func outcome(after error: any Error) -> CircuitBreaker.Outcome {
    guard let error = error as? LoadError else { return .unknown }
    return [.connection, .timedOut, .secureConnection].contains(error.kind) ? .failure : .unknown
  }

  private func admit(_ origin: Origin, _ next: Next) throws -> CircuitBreaker.Pass {
    let now = next.clock.now()
    let admission = state.withLock { state in
      state.forgetIdleHosts(at: now)
      return state.hosts[origin, default: CircuitBreaker(rule)].admit(
        at: now, lasts: !next.keepsBody)
    }
    switch admission {
    case .passes(let pass):
      if pass.isProbe { next.report(.circuit(.halfOpen, host: origin.host)) }
      return pass
    case .refused(let wait, let counts):
      throw LoadError(circuitOf: origin.host, openFor: wait, after: counts)
    }
  }

  private func record(
    _ outcome: CircuitBreaker.Outcome, of pass: CircuitBreaker.Pass, _ origin: Origin, _ next: Next
  ) {
    let change = state.withLock {
      $0.hosts[origin]?.record(outcome, of: pass, at: next.clock.now())
    }
    if let change { next.report(.circuit(change, host: origin.host)) }
  }
}

extension CircuitBreakerMiddleware.Rule {
  /// How long the circuit stays open after opening a number of times without closing.
  func pause(afterOpenings openings: Int) -> Duration {
    let longest = maximumPause.countable
    guard openings < 30 else { return longest }
    return min(longest, pause.countable * (1 << openings))
  }
}

extension LoadError {
  fileprivate init(
    circuitOf host: String, openFor wait: Duration, after counts: OutcomeWindow.Counts
  ) {
    let next = wait > .zero ? "the next probe is in \(wait.brief)" : "a probe is under way"
    self.init(
      .circuitOpen,
      "the circuit of \(host) is open, because \(counts.failures) of the last \(counts.total) requests failed; \(next)",
      advice: "Use a stored value, or try again later")
  }
}
