package import Foundation
package import PromiseModule

/// Whether and when a request is sent again: a pure function of what was sent, what became of it, and the time.
package struct RetryRule: Sendable {
  package var policy: RetryPolicy
  package var statuses: Set<Status>
  package var maximumRetryAfter: Duration

  package init(policy: RetryPolicy, statuses: Set<Status>, maximumRetryAfter: Duration) {
    self.policy = policy
    self.statuses = statuses
    self.maximumRetryAfter = maximumRetryAfter
  }

  /// When an attempt has failed.
  package struct Timing {
    /// How many attempts have failed so far, this one included.
    package var failures: Int
    /// How long after the first attempt's beginning.
    package var elapsed: Duration
    /// What is left of the load's time; `nil` for no limit.
    package var remaining: Duration?
    /// The date here, for servers that don't tell theirs.
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
  /// Whether a request may be sent twice.
  func canRepeat(_ request: Request) -> Bool {
    request.method.isRepeatable(request.headers, markedAs: request.options.isIdempotent)
  }

  /// What becomes of a request after an attempt.
  package enum Decision {
    /// It was the last one.
    case stop
    /// It was the last one, since the server asks for more time than there is: both, in words.
    case giveUp(String)
    /// There is another one after a pause, for this reason.
    case retry(after: Duration, because: String)
  }

  /// Decides whether there is another attempt.
  func decide(
    after outcome: Result<Response, any Error>, of request: Request, at timing: Timing,
    using generator: inout some RandomNumberGenerator
  ) -> Decision {
    guard timing.failures < policy.attempts, let failure = failure(of: outcome, of: request) else {
      return .stop
    }
    let headers = if case .success(let response) = outcome { response.headers } else { Headers() }
    return decide(after: failure, with: headers, at: timing, using: &generator)
  }

  /// Decides whether there is another attempt after a whole load has failed, with the response in the error.
  package func decide(
    after error: LoadError, at timing: Timing, using generator: inout some RandomNumberGenerator
  ) -> Decision {
    guard timing.failures < policy.attempts, mayPass(error) else { return .stop }
    let headers = error.response?.headers ?? [:]
    return decide(after: error, with: headers, at: timing, using: &generator)
  }

  /// Decides after a failure that may pass.
  private func decide(
    after failure: LoadError, with headers: Headers, at timing: Timing,
    using generator: inout some RandomNumberGenerator
  ) -> Decision {
    let backoff = policy.wait(
      after: failure, failures: timing.failures, elapsed: timing.elapsed, using: &generator)
    guard var wait = backoff else { return .stop }
    if let asked = RetryAfter.duration(in: headers, at: timing.date) {
      if let limit = limit(below: asked, at: timing) {
        return .giveUp("asks to wait for \(asked), but \(limit)")
      }
      wait = max(wait, asked)
    }
    if let remaining = timing.remaining, wait >= remaining { return .stop }
    if let total = policy.totalTime, timing.elapsed + wait >= total { return .stop }
    return .retry(
      after: wait, because: failure.kind == .status ? failure.reason : failure.kind.description)
  }

  /// What forbids to wait for as long as a server asks, in words; `nil` if nothing does.
  private func limit(below asked: Duration, at timing: Timing) -> String? {
    if asked > maximumRetryAfter { return "maximumRetryAfter is \(maximumRetryAfter)" }
    if let remaining = timing.remaining, asked >= remaining {
      return "only \(max(.zero, remaining)) of the load's time are left"
    }
    if let total = policy.totalTime, timing.elapsed + asked >= total {
      return "only \(max(.zero, total - timing.elapsed)) of the policy's totalTime are left"
    }
    return nil
  }

  /// The failure that may pass, with its response, or `nil` for a success, or one that will not.
  private func failure(
    of outcome: Result<Response, any Error>, of request: Request
  ) -> LoadError? {
    switch outcome {
    case .success(let response):
      guard statuses.contains(response.status) else { return nil }
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

  private func mayPass(_ error: LoadError) -> Bool {
    isInterruption(error)
      || error.kind == .status && error.response.map { statuses.contains($0.status) } ?? false
  }
}

/// How long a server asks to be left alone (RFC 9110 section 10.2.3).
enum RetryAfter {
  /// The wait that `Retry-After` asks for; `nil` where there is none or it makes no sense. A date is measured
  /// against the server's own `Date`, so that clocks may differ; one in the past means no wait.
  ///
  /// - Parameters:
  ///   - headers: Those of the response.
  ///   - date: The date here, for servers that don't tell theirs.
  static func duration(in headers: Headers, at date: Date) -> Duration? {
    guard let text = headers.values(of: .retryAfter).first?.trimmingSpaces(), !text.isEmpty else {
      return nil
    }
    if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // More seconds than fit are a century.
      return .seconds(min(Int64(text) ?? .max, 100 * 365 * 86_400))
    }
    guard let until = HTTPDate(text, now: date)?.date else { return nil }
    let now = headers[.date].flatMap { HTTPDate($0, now: date)?.date } ?? date
    return .milliseconds(Int64(max(0, until.timeIntervalSince(now)) * 1000))
  }
}
