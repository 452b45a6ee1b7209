extension Promise {
  /// Turns a rejection into a value.
  ///
  /// A cancellation is a rejection like any other: a closure that wants to let it pass throws it
  /// again, or asks for its own kind of error by ``recover(from:on:_:)``.
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
    let child = Promise(origin: .upstream(self))
    let reaction = Reaction(Lane(executor), key: child.key) { _, lane, worklist in
      if child.isPending { child.settle(self.settled.recover(body), &worklist) }
      self.advance(lane, &worklist)
    }
    add(reaction, feeding: child)
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
    recover(on: MainActorLane.shared) { error in
      try MainActor.assumeIsolated { try body(error) }
    }
  }
}

extension Result where Failure == any Error {
  /// Replaces a failure by a closure that may throw.
  @inlinable
  func recover(_ body: (any Error) throws -> Success) -> Self {
    switch self {
    case .success: self
    case .failure(let error): Result { try body(error) }
    }
  }
}
