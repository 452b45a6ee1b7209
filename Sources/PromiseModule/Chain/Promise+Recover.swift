extension Promise {
  /// Turns a rejection into a value.
  ///
  /// A cancellation is a rejection like any other: to let it pass, throw it again, or recover only
  /// from one type of error with ``recover(from:on:_:)-(_,PromiseExecutor,_)``.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected and the new one hasn't been cancelled.
  /// - Returns: A promise of this one's value, or of the closure's, or rejected with what it
  ///   throws.
  @inlinable
  public func recover(
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise<Value> {
    recoverWith(on: executor) { error in .fulfilled(try body(error)) }
  }

  /// Turns a rejection with one type of error into a value.
  ///
  /// - Parameters:
  ///   - type: The type of error; others pass.
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected with such an error and the new one hasn't
  ///     been cancelled.
  /// - Returns: A promise of this one's value, or of the closure's, or rejected with what it
  ///   throws, or with the error that passed.
  @inlinable
  public func recover<Failure: Error>(
    from type: Failure.Type, on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (Failure) throws -> Value
  ) -> Promise<Value> {
    recover(on: executor) { error in
      guard let failure = error as? Failure else { throw error }
      return try body(failure)
    }
  }

  /// Continues after a rejection with the promise that a closure returns.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected and the new one hasn't been cancelled.
  /// - Returns: A promise of this one's value, or that takes over the outcome of the one the
  ///   closure returns, or rejected with what it throws.
  @inlinable
  public func recoverWith(
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (any Error) throws -> Promise<Value>
  ) -> Promise<Value> {
    let child = Promise(waitingFor: self)
    core.feed(
      child.core,
      Handler(.child, executor.reference) { outcome, worklist in
        guard child.core.isPending else { return }
        if let error = outcome.error {
          child.adopt(&worklist) { try body(error) }
        } else {
          child.core.settle(outcome, .parents, of: child, &worklist)
        }
      }, of: self)
    return child
  }

  /// Continues after a rejection with one type of error with the promise that a closure returns.
  ///
  /// - Parameters:
  ///   - type: The type of error; others pass.
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected with such an error and the new one hasn't
  ///     been cancelled.
  /// - Returns: A promise of this one's value, or that takes over the outcome of the one the
  ///   closure returns, or rejected with what it throws, or with the error that passed.
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
}
