extension Promise {
  /// Tries until it works, or the policy says that it is enough.
  ///
  /// ```swift
  /// let answer = Promise.retry(RetryPolicy(attempts: 5)) { _ in session.promise(for: status) }
  /// ```
  ///
  /// - Parameters:
  ///   - policy: What is tried again, how often, and after how long.
  ///   - executor: Where the closure runs; the background if left out.
  ///   - clock: Measures the waits and the total time.
  ///   - generator: The source of chance for the waits.
  ///   - attempt: Makes the promise of one attempt, whose number it is given, counted from 1. What it
  ///     throws counts as a rejection.
  /// - Returns: A promise of the first value, rejected with the error of the last attempt. Cancelling
  ///   it gives up the attempt or the wait that is under way, and nothing more is tried.
  public static func retry<Time: Clock<Duration>>(
    _ policy: RetryPolicy = RetryPolicy(), on executor: some PromiseExecutor = .default,
    clock: Time = .continuous,
    using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    _ attempt: @escaping @Sendable (Int) throws -> Promise<Value>
  ) -> Promise<Value> {
    let retrying = Retrying(
      policy: policy, executor: executor, clock: clock, start: clock.now, generator: generator,
      attempt: attempt)
    return retrying.promise(ofAttempt: 1)
  }

  /// Tries on the main actor until it works, or the policy says that it is enough.
  public static func retry<Time: Clock<Duration>>(
    _ policy: RetryPolicy = RetryPolicy(), on executor: MainActorExecutor,
    clock: Time = .continuous,
    using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    _ attempt: @escaping @MainActor @Sendable (Int) throws -> Promise<Value>
  ) -> Promise<Value> {
    retry(policy, on: MainActorQueue.shared, clock: clock, using: generator) { number in
      try MainActor.assumeIsolated { try attempt(number) }
    }
  }
}

/// One retry: what to try, and by which rules.
private struct Retrying<
  Value: Sendable, Executor: PromiseExecutor, Time: Clock<Duration>,
  Generator: RandomNumberGenerator & Sendable
>: Sendable {
  let policy: RetryPolicy
  let executor: Executor
  let clock: Time
  let start: Time.Instant
  var generator: Generator
  let attempt: @Sendable (Int) throws -> Promise<Value>

  func promise(ofAttempt number: Int) -> Promise<Value> {
    Promise.fulfilled(number).then(on: executor, attempt).recoverWith(on: executor) { error in
      try goOn(after: error, failures: number)
    }
  }

  /// Returns a promise of the next attempt, after the wait that the policy asks for.
  ///
  /// - Throws: The error, if the policy permits no further attempt.
  private func goOn(after error: any Error, failures: Int) throws -> Promise<Value> {
    var rest = self
    let wait = policy.wait(
      after: error, failures: failures, elapsed: start.duration(to: clock.now),
      using: &rest.generator)
    guard let wait else { throw error }
    return Promise<Void>.delay(for: wait, clock: clock).then(on: executor) { [rest] in
      rest.promise(ofAttempt: failures + 1)
    }
  }
}
