package import Foundation
import PromiseModule
import ResourcePrimitives

/// Decides whether and when a request is sent again. The decision is a pure function of the
/// request, its outcome and the time.
package struct RetryRule: Sendable {
  package var policy: RetryPolicy
  package var statuses: Set<Status>
  package var maximumRetryAfter: Duration

  package init(policy: RetryPolicy, statuses: Set<Status>, maximumRetryAfter: Duration) {
    self.policy = policy
    self.statuses = statuses
    self.maximumRetryAfter = maximumRetryAfter
  }

  package struct Timing {
    /// The number of failed attempts so far, including this one.
    package var failures: Int
    /// The time since the first attempt began.
    package var elapsed: Duration
    /// The rest of the load's time; `nil` for no limit.
    package var remaining: Duration?
    /// The local date, for servers that don't send theirs.
    package var date: Date

    package init(failures: Int, elapsed: Duration, remaining: Duration? = nil, date: Date) {
      self.failures = failures
      self.elapsed = elapsed
      self.remaining = remaining
      self.date = date
    }
  }
}

extension RetryRule {
  /// Returns whether a request may be sent twice.
  func canRepeat(_ request: Request) -> Bool {
    request.method.isRepeatable(request.headers, markedAs: request.options.isIdempotent)
  }

  package enum Decision {
    case stop
    /// No further attempt, because the server asks for more time than is left. The value is a text
    /// with both times.
    case giveUp(String)
    /// Another attempt after a pause, and the reason for it.
    case retry(after: Duration, because: String)
  }

  func decide(
    after outcome: Result<Response, any Error>, of request: Request, at timing: Timing,
    using generator: inout some RandomNumberGenerator
  ) -> Decision {
    guard timing.failures < policy.maximumAttempts, let failure = failure(of: outcome, of: request)
    else {
      return .stop
    }
    let headers = if case .success(let response) = outcome { response.headers } else { Headers() }
    return decide(after: failure, with: headers, at: timing, using: &generator)
  }

  /// Decides whether there is another attempt after a whole load has failed. The response is in the
  /// error.
  package func decide(
    after error: LoadError, at timing: Timing, using generator: inout some RandomNumberGenerator
  ) -> Decision {
    guard timing.failures < policy.maximumAttempts, mayPass(error) else { return .stop }
    let headers = error.response?.headers ?? [:]
    return decide(after: error, with: headers, at: timing, using: &generator)
  }

  private func decide(
    after failure: LoadError, with headers: Headers, at timing: Timing,
    using generator: inout some RandomNumberGenerator
  ) -> Decision {
    let backoff = policy.wait(
      after: failure, failures: timing.failures, elapsed: timing.elapsed, using: &generator)
    // The program's policy may return any duration.
    guard var wait = backoff?.countable else { return .stop }
    if let asked = RetryAfter.duration(in: headers, at: timing.date) {
      if let limit = limit(below: asked, at: timing) {
        return .giveUp("asks to wait for \(asked), but \(limit)")
      }
      wait = max(wait, asked)
    }
    if let remaining = timing.remaining, wait >= remaining { return .stop }
    if let total = policy.maximumTime?.countable, timing.elapsed + wait >= total { return .stop }
    return .retry(
      after: wait, because: failure.kind == .status ? failure.reason : failure.kind.description)
  }

  /// Returns a description of the limit that the requested wait would exceed; `nil` if there is
  /// none.
  private func limit(below asked: Duration, at timing: Timing) -> String? {
    if asked > maximumRetryAfter { return "maximumRetryAfter is \(maximumRetryAfter)" }
    if let remaining = timing.remaining, asked >= remaining {
      return "only \(max(.zero, remaining)) of the load's time are left"
    }
    if let total = policy.maximumTime?.countable, timing.elapsed + asked >= total {
      return "only \(max(.zero, total - timing.elapsed)) of the policy's maximumTime are left"
    }
    return nil
  }

  /// Returns the failure with its response; `nil` for a success or a permanent failure.
  private func failure(
    of outcome: Result<Response, any Error>, of request: Request
  ) -> LoadError? {
    switch outcome {
    case .success(let response):
      guard statuses.contains(response.status) else { return nil }
      // A cache answers the same again if it may not send the request.
      if let cause = response.details.cause, !isInterruption(cause) { return nil }
      var context = ErrorContext(request)
      context.receive(response)
      let failure = LoadError(status: response)
      return context.explain(failure) as? LoadError ?? failure
    case .failure(let error):
      guard let error = error as? LoadError, isInterruption(error) else { return nil }
      return error
    }
  }

  private func isInterruption(_ error: LoadError) -> Bool {
    [.connection, .timedOut].contains(error.kind)
  }

  /// Returns whether a failure is transient: one of the connection, of this machine, or with a
  /// transient status.
  package func mayPass(_ error: LoadError) -> Bool {
    isInterruption(error) || error.isPassingShortage
      || error.kind == .status && error.response.map { statuses.contains($0.status) } ?? false
  }
}
