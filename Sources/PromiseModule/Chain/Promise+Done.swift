extension Promise {
  /// Runs a closure with the value, and passes the value on.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if the value arrives and the new promise hasn't been cancelled.
  /// - Returns: A promise of the same value that is fulfilled after the closure has run, or
  ///   rejected with this one's error or with what the closure throws.
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

  /// Runs a closure with the error, and passes the outcome on.
  ///
  /// To turn the error into a value, use `recover`. Cancelling the new promise may cancel this one
  /// as well; the closure is then called with that `CancellationError`.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected.
  /// - Returns: A promise with the same outcome, settled after the closure has run. Its error
  ///   counts as seen.
  @inlinable
  @discardableResult
  public func `catch`(
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    let child = watch(on: executor) { error in
      if let error { body(error) }
    }
    child.core.markObserved()
    return child
  }

  /// Runs a closure when the promise is settled in any way, and passes the outcome on.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, when this promise is settled, even if the new one has been cancelled.
  /// - Returns: A promise with the same outcome, settled after the closure has run, or rejected
  ///   with what it throws.
  @inlinable
  @discardableResult
  public func finally(
    on executor: some PromiseExecutor = .default, _ body: @escaping @Sendable () throws -> Void
  ) -> Promise<Value> {
    watch(on: executor) { _ in try body() }
  }

  /// Calls a closure with the error, or with `nil` if there is none, even if the new promise has
  /// been cancelled. Passes the outcome on.
  @inlinable
  func watch(
    on executor: some PromiseExecutor,
    _ body: @escaping @Sendable ((any Error)?) throws -> Void
  ) -> Promise<Value> {
    let child = Promise(waitingFor: self)
    core.feed(
      child.core,
      Handler(.watcher, executor.reference) { outcome, worklist in
        var passed = outcome
        do { try body(outcome.error) } catch { passed = .rejected(error) }
        child.core.settle(passed, .parents, of: child, &worklist)
      }, of: self)
    return child
  }
}
