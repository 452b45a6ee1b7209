/// Decides whether a failed attempt is followed by another one, and how long to wait for it.
public struct RetryPolicy: Sendable {
  /// The most attempts, the first one included.
  public var maximumAttempts: Int
  /// How long to wait between them.
  public var backoff: Backoff
  /// How long all attempts may take together, from the start of the first one; `nil` for no limit.
  /// No attempt starts after that. One that is under way isn't cut short: use
  /// ``Promise/timeout(after:clock:)`` for that.
  public var maximumTime: Duration?
  /// Which errors are worth another attempt. A `CancellationError` never is.
  public var isRetryable: @Sendable (any Error) -> Bool

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - maximumAttempts: The most attempts, the first one included; at least one is made.
  ///   - backoff: How long to wait between them.
  ///   - maximumTime: How long all attempts may take together; `nil` for no limit.
  ///   - isRetryable: Which errors are worth another attempt; all, if left out.
  public init(
    maximumAttempts: Int = 3, backoff: Backoff = Backoff(), maximumTime: Duration? = nil,
    isRetryable: @escaping @Sendable (any Error) -> Bool = { _ in true }
  ) {
    self.maximumAttempts = maximumAttempts
    self.backoff = backoff
    self.maximumTime = maximumTime
    self.isRetryable = isRetryable
  }
}

extension RetryPolicy {
  /// Decides what follows a failure.
  ///
  /// - Parameters:
  ///   - error: What the attempt failed with.
  ///   - failures: How many attempts have failed so far, this one included.
  ///   - elapsed: How long it has been since the first one started.
  ///   - generator: The source of random numbers.
  /// - Returns: How long to wait for the next attempt; `nil` if there is none.
  public func wait(
    after error: any Error, failures: Int, elapsed: Duration,
    using generator: inout some RandomNumberGenerator
  ) -> Duration? {
    guard failures < maximumAttempts, !(error is CancellationError), isRetryable(error) else {
      return nil
    }
    let wait = backoff.wait(afterFailures: failures, using: &generator)
    // Subtracted, because the sum may overflow.
    if let maximumTime, maximumTime <= elapsed || wait >= maximumTime - elapsed { return nil }
    return wait
  }
}
