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
    let child = Promise(origin: .upstream(self))
    let reaction = Reaction(Lane(executor), key: child.key) { _, lane, worklist in
      if child.isPending { child.settleOrAdopt(self.settled, body, &worklist) }
      self.advance(lane, &worklist)
    }
    add(reaction, feeding: child)
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

  /// Takes a value as it is, and for an error the promise that a closure makes.
  @inlinable
  func settleOrAdopt(
    _ result: Result<Value, any Error>,
    _ body: (any Error) throws -> Promise<Value>, _ worklist: inout Worklist
  ) {
    guard case .failure(let error) = result else {
      settle(result, &worklist)
      return
    }
    do { adopt(try body(error), &worklist) } catch { settle(.failure(error), &worklist) }
  }
}
