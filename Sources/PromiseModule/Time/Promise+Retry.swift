extension Promise {
  /// Attempts the operation until it succeeds or the policy allows no more attempts.
  ///
  /// ```swift
  /// let policy = RetryPolicy(maximumAttempts: 5)
  /// let answer = Promise.retry(policy) { _ in session.promise(for: status) }
  /// ```
  ///
  /// - Parameters:
  ///   - policy: What is tried again, how often, and after how long.
  ///   - executor: Where the closure runs; the background if left out.
  ///   - clock: Measures the waits and the total time.
  ///   - generator: The source of random numbers for the waits.
  ///   - attempt: Returns the promise of one attempt. It is called with the number of the attempt,
  ///     counted from 1. An error that it throws counts as a rejection.
  /// - Returns: A promise of the first value, rejected with the error of the last attempt.
  ///   Cancelling it gives up the attempt or the wait that is under way, and nothing more is tried.
  public static func retry<Time: Clock<Duration>>(
    _ policy: RetryPolicy = RetryPolicy(), on executor: some PromiseExecutor = .default,
    clock: Time = .continuous,
    using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    _ attempt: @escaping @Sendable (Int) throws -> Promise<Value>
  ) -> Promise<Value> {
    let start = clock.now
    return Promise {
      var (failures, generator) = (0, generator)
      while true {
        try Task.checkCancellation()
        do {
          return try await Promise<Int>.fulfilled(failures + 1).then(on: executor, attempt).get()
        } catch {
          failures += 1
          let wait = policy.wait(
            after: error, failures: failures, elapsed: start.duration(to: clock.now),
            using: &generator)
          guard let wait else { throw error }
          try await Promise<Void>.delay(for: wait, clock: clock).get()
        }
      }
    }
  }

  /// Attempts the operation on the main actor until it succeeds or the policy allows no more.
  public static func retry<Time: Clock<Duration>>(
    _ policy: RetryPolicy = RetryPolicy(), on executor: MainActorExecutor,
    clock: Time = .continuous,
    using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    _ attempt: @escaping @MainActor @Sendable (Int) throws -> Promise<Value>
  ) -> Promise<Value> {
    retry(
      policy, on: MainActorQueue.shared, clock: clock, using: generator,
      MainActorQueue.running(attempt))
  }
}
