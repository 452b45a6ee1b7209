extension Promise {
  /// Does something with the value, and passes it on.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if the value arrives and the new promise hasn't been cancelled.
  /// - Returns: A promise of the same value that is fulfilled after the closure has run, or rejected
  ///   with this one's error or with what the closure throws.
  @inlinable
  @discardableResult
  public func done(
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise<Value> {
    map(on: executor) { value in
      try body(value)
      return value
    }
  }

  /// Does something with the value on the main actor, and passes it on.
  ///
  /// - Parameters:
  ///   - executor: `.mainActor`.
  ///   - body: Runs once, if the value arrives and the new promise hasn't been cancelled.
  /// - Returns: A promise of the same value that is fulfilled after the closure has run, or rejected
  ///   with this one's error or with what the closure throws.
  @inlinable
  @discardableResult
  public func done(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (Value) throws -> Void
  ) -> Promise<Value> {
    done(on: MainActorQueue.shared) { value in
      try MainActor.assumeIsolated { try body(value) }
    }
  }
}
