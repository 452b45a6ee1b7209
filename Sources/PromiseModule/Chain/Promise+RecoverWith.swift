extension Promise {
  /// Goes on after a rejection with another promise.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected and the new one hasn't been cancelled.
  /// - Returns: A promise of this one's value, or that takes over the outcome of the one the closure
  ///   returns, or rejected with what it throws.
  @inlinable
  public func recoverWith(
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (any Error) throws -> Promise<Value>
  ) -> Promise<Value> {
    let child = Promise()
    feed(child, on: executor.identity) { outcome, worklist in
      guard child.isPending else { return }
      switch outcome {
      case .value: child.settle(outcome, .parents, &worklist)
      case .failure(let error): child.adopt(&worklist) { try body(error) }
      }
    }
    return child
  }

  /// Goes on after a rejection with one type of error with another promise.
  ///
  /// - Parameters:
  ///   - type: The type of error; others pass.
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected with such an error and the new one hasn't been
  ///     cancelled.
  /// - Returns: A promise of this one's value, or that takes over the outcome of the one the closure
  ///   returns, or rejected with what it throws, or with the error that passed.
  @inlinable
  public func recoverWith<Failure: Error>(
    from type: Failure.Type, on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (Failure) throws -> Promise<Value>
  ) -> Promise<Value> {
    recoverWith(on: executor) { error in
      guard let failure = error as? Failure else { throw error }
      return try body(failure)
    }
  }

  /// Goes on after a rejection with another promise, which a closure on the main actor makes.
  ///
  /// - Parameters:
  ///   - executor: `.mainActor`.
  ///   - body: Runs once, if this promise is rejected and the new one hasn't been cancelled.
  /// - Returns: A promise of this one's value, or that takes over the outcome of the one the closure
  ///   returns, or rejected with what it throws.
  @inlinable
  public func recoverWith(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (any Error) throws -> Promise<Value>
  ) -> Promise<Value> {
    recoverWith(on: MainActorQueue.shared) { error in
      try MainActor.assumeIsolated { try body(error) }
    }
  }

  /// Goes on after a rejection with one type of error with another promise, which a closure on the main
  /// actor makes.
  ///
  /// - Parameters:
  ///   - type: The type of error; others pass.
  ///   - executor: `.mainActor`.
  ///   - body: Runs once, if this promise is rejected with such an error and the new one hasn't been
  ///     cancelled.
  /// - Returns: A promise of this one's value, or that takes over the outcome of the one the closure
  ///   returns, or rejected with what it throws, or with the error that passed.
  @inlinable
  public func recoverWith<Failure: Error>(
    from type: Failure.Type, on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (Failure) throws -> Promise<Value>
  ) -> Promise<Value> {
    recoverWith(from: type, on: MainActorQueue.shared) { failure in
      try MainActor.assumeIsolated { try body(failure) }
    }
  }
}
