extension Promise {
  /// Turns a rejection into a value.
  ///
  /// A cancellation is a rejection like any other: a closure that wants to let it pass throws it
  /// again, or asks for its own kind of error by ``recover(from:on:_:)-(_,PromiseExecutor,_)``.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected and the new one hasn't been cancelled.
  /// - Returns: A promise of this one's value, or of the closure's, or rejected with what it throws.
  @inlinable
  public func recover(
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (any Error) throws -> Value
  ) -> Promise<Value> {
    let child = Promise()
    feed(child, on: executor.identity) { outcome, worklist in
      guard child.isPending else { return }
      let recovered: Outcome =
        switch outcome {
        case .value: outcome
        case .failure(let error): Outcome { try body(error) }
        }
      child.settle(recovered, .parents, &worklist)
    }
    return child
  }

  /// Turns a rejection with one type of error into a value.
  ///
  /// - Parameters:
  ///   - type: The type of error; others pass.
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected with such an error and the new one hasn't been
  ///     cancelled.
  /// - Returns: A promise of this one's value, or of the closure's, or rejected with what it throws,
  ///   or with the error that passed.
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

  /// Turns a rejection into a value, on the main actor.
  ///
  /// - Parameters:
  ///   - executor: `.mainActor`.
  ///   - body: Runs once, if this promise is rejected and the new one hasn't been cancelled.
  /// - Returns: A promise of this one's value, or of the closure's, or rejected with what it throws.
  @inlinable
  public func recover(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (any Error) throws -> Value
  ) -> Promise<Value> {
    recover(on: MainActorQueue.shared) { error in
      try MainActor.assumeIsolated { try body(error) }
    }
  }

  /// Turns a rejection with one type of error into a value, on the main actor.
  ///
  /// - Parameters:
  ///   - type: The type of error; others pass.
  ///   - executor: `.mainActor`.
  ///   - body: Runs once, if this promise is rejected with such an error and the new one hasn't been
  ///     cancelled.
  /// - Returns: A promise of this one's value, or of the closure's, or rejected with what it throws,
  ///   or with the error that passed.
  @inlinable
  public func recover<Failure: Error>(
    from type: Failure.Type, on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (Failure) throws -> Value
  ) -> Promise<Value> {
    recover(from: type, on: MainActorQueue.shared) { failure in
      try MainActor.assumeIsolated { try body(failure) }
    }
  }
}
