package import Foundation
public import PromiseModule
import ResourcePrimitives
import Synchronization

/// Sends a request again after a transient failure.
///
/// Transient failures are a lost connection, an attempt that timed out, and the statuses 408, 425,
/// 429, 500, 502, 503 and 504. Requests that may be sent again are `GET`, `HEAD`, `QUERY`, `PUT`,
/// `DELETE`, `OPTIONS` and `TRACE` (RFC 9110 section 9.2.2 and RFC 10008), those with an
/// `Idempotency-Key`, and those that ``Request/Options/isIdempotent`` marks.
///
/// The wait between two attempts is a random part of a growing time, and at least what the server
/// asks for with `Retry-After`. No attempt begins after the load's time limit. If the next one
/// would, the load ends at once with the latest failure. A ``Budget`` limits the number of retries
/// in relation to loads, so that an outage isn't amplified.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [
///     RetryMiddleware(RetryPolicy(maximumAttempts: 5, backoff: Backoff(base: .seconds(1))))
///   ]
/// }
/// ```
///
/// Put it before authentication, so that each attempt has a valid credential, and before limits, so
/// that a waiting load doesn't occupy a slot.
public struct RetryMiddleware: PredictableMiddleware {
  private let policy: RetryPolicy
  private let rule: RetryRule
  private let budgets: RetryBudgets?
  private let generator: any RandomNumberGenerator & Sendable

  /// Creates a retrying middleware.
  ///
  /// - Parameters:
  ///   - policy: The number of attempts, the time between them, and which transient errors are
  ///     worth another attempt. A status is passed to it as a ``LoadError`` of kind
  ///     ``LoadError/Kind/status`` with the ``LoadError/response``: its status, headers and body.
  ///   - statuses: The transient statuses.
  ///   - maximumRetryAfter: The longest wait that a server may ask for with `Retry-After`. If it
  ///     asks for a longer wait, or for more than the load's remaining time, its response is final,
  ///     and the error names both times.
  ///   - budget: The limit on retries; `nil` for no limit.
  ///   - generator: The source of random numbers for the waits. Each load begins with a copy.
  public init(
    _ policy: RetryPolicy = RetryPolicy(),
    statuses: Set<Status> = RetryMiddleware.transientStatuses,
    maximumRetryAfter: Duration = .seconds(60), budget: Budget? = Budget(),
    using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.policy = policy
    self.generator = generator
    rule = RetryRule(
      policy: policy, statuses: statuses, maximumRetryAfter: max(.zero, maximumRetryAfter))
    budgets = budget.map(RetryBudgets.init)
  }

  /// 408, 425, 429, 500, 502, 503 and 504.
  public static let transientStatuses: Set<Status> = Status.transient

  /// Passes on the request, and repeats this after transient failures.
  ///
  /// - Throws: What the last attempt threw, or `CancellationError` if the load has ended.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard policy.maximumAttempts > 1, rule.canRepeat(request) else {
      return try await next(request)
    }
    budgets?.earn(for: request.url)
    let start = next.context.clock.now()
    var generator = generator
    var failures = 0
    while true {
      let outcome = await Self.outcome { try await next(request) }
      failures += 1
      guard next.context.destination?.canBeginAgain ?? true else { return try outcome.get() }
      let now = RetryRule.Timing(
        failures: failures, elapsed: next.context.clock.now() - start,
        remaining: next.remainingTime, date: next.date)
      switch rule.decide(after: outcome, of: request, at: now, using: &generator) {
      case .stop: return try outcome.get()
      case .giveUp(let remark):
        var response = try outcome.get()
        response.details.remark = remark
        return response
      case .retry(let wait, let cause):
        guard budgets?.spend(for: request.url) ?? true else { return try outcome.get() }
        next.report(.retrying(attempt: failures + 1, after: wait, because: cause))
        try await next.sleep(for: wait)
      }
    }
  }

  private static func outcome(
    of body: () async throws -> Response
  ) async -> Result<Response, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}

extension RetryMiddleware {
  /// A limit on retries in proportion to loads, for each origin.
  ///
  /// A budget begins with `reserve` retries and never has more. Each load adds `ratio` of a retry,
  /// and each retry takes one. So N loads from a server that never responds cause at most N ×
  /// `ratio` + `reserve` retries.
  public struct Budget: Sendable, Hashable {
    /// The number of retries at the beginning, which is also the maximum.
    public var reserve: Double

    /// The part of a retry that each load adds.
    public var ratio: Double

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - reserve: The number of retries at the beginning, which is also the maximum.
    ///   - ratio: The part of a retry that each load adds.
    public init(reserve: Double = 100, ratio: Double = 0.08) {
      self.reserve = reserve
      self.ratio = ratio
    }
  }
}

/// The retries that have been spent for each origin.
package final class RetryBudgets: Sendable {
  private let budget: RetryMiddleware.Budget
  private let spent = Mutex<[Origin: Double]>([:])

  /// The most origins that are remembered. For one more, the one that has spent least is forgotten.
  static let maximumCount = 1000

  package init(_ budget: RetryMiddleware.Budget) { self.budget = budget }

  /// Counts a beginning load.
  package func earn(for url: URL) {
    // Only origins with spent retries have entries. Usually there are none, and the URL needn't be
    // parsed.
    guard spent.withLock({ !$0.isEmpty }) else { return }
    let origin = url.origin
    spent.withLock { spent in
      guard let before = spent[origin] else { return }
      spent[origin] = before > budget.ratio ? before - budget.ratio : nil
    }
  }

  /// Takes a retry; returns `false` if none is left.
  package func spend(for url: URL) -> Bool {
    let origin = url.origin
    return spent.withLock { spent in
      let before = spent[origin] ?? 0
      guard before + 1 <= budget.reserve else { return false }
      if spent[origin] == nil { Self.makeRoom(in: &spent) }
      spent[origin] = before + 1
      return true
    }
  }

  var originCount: Int { spent.withLock(\.count) }

  private static func makeRoom(in spent: inout [Origin: Double]) {
    guard spent.count >= maximumCount, let least = spent.min(by: { $0.value < $1.value }) else {
      return
    }
    spent[least.key] = nil
  }
}
