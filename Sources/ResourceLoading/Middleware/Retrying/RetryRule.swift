import Foundation
import PromiseModule

/// Whether and when a request is sent again: a pure function of what was sent, what became of it, and the time.
struct RetryRule: Sendable {
  var policy: RetryPolicy
  var statuses: Set<Status>
  var maximumRetryAfter: Duration

  /// When an attempt has failed.
  struct Moment {
    /// How many attempts have failed so far, this one included.
    var failures: Int
    /// How long after the first attempt's beginning.
    var elapsed: Duration
    /// What is left of the load's time; `nil` for no limit.
    var remaining: Duration?
    /// The date here, for servers that don't tell theirs.
    var date: Date
  }
}

extension RetryRule {
  /// Whether a request may be sent twice.
  func canRepeat(_ request: Request) -> Bool {
    request.method.isRepeatable(request.headers, markedAs: request.options.isIdempotent)
  }

  /// How long to wait before the next attempt, and why there is one; `nil` if this one was the last.
  func wait(
    after outcome: Result<Response, any Error>, at moment: Moment,
    using generator: inout some RandomNumberGenerator
  ) -> (wait: Duration, cause: String)? {
    guard let failure = failure(of: outcome),
      let backoff = policy.wait(
        after: failure, failures: moment.failures, elapsed: moment.elapsed, using: &generator)
    else { return nil }
    var wait = backoff
    if case .success(let response) = outcome,
      let asked = RetryAfter.duration(in: response.headers, at: moment.date)
    {
      guard asked <= maximumRetryAfter else { return nil }
      wait = max(wait, asked)
    }
    if let remaining = moment.remaining, wait >= remaining { return nil }
    if let total = policy.totalTime, moment.elapsed + wait >= total { return nil }
    return (wait, failure.kind == .status ? failure.reason : failure.kind.rawValue)
  }

  /// The failure that may pass, or `nil` for a success, or one that will not.
  private func failure(of outcome: Result<Response, any Error>) -> LoadError? {
    switch outcome {
    case .success(let response):
      return statuses.contains(response.status) ? LoadError(status: response) : nil
    case .failure(let error):
      guard let error = error as? LoadError, [.connection, .timedOut].contains(error.kind) else {
        return nil
      }
      return error
    }
  }
}
