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

  /// Does something with the error, and passes the outcome on.
  ///
  /// To turn the error into a value, use `recover`. Cancelling the promise that is returned
  /// stops the work above, and the closure is told of it: it sees the `CancellationError` that this
  /// promise is then rejected with.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, if this promise is rejected.
  /// - Returns: A promise with the same outcome, settled after the closure has run. Its error counts
  ///   as seen.
  @inlinable
  @discardableResult
  public func `catch`(
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    let child = watch(on: executor) { result in
      if case .failure(let error) = result { body(error) }
    }
    child.core.markObserved()
    return child
  }

  /// Does something with the error on the main actor, and passes the outcome on.
  @inlinable
  @discardableResult
  public func `catch`(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    self.catch(on: MainActorQueue.shared) { error in
      MainActor.assumeIsolated { body(error) }
    }
  }

  /// Does something in the end, whatever the outcome, and passes that on.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, when this promise is settled, also if the new one has been cancelled.
  /// - Returns: A promise with the same outcome, settled after the closure has run, or rejected with
  ///   what it throws.
  @inlinable
  @discardableResult
  public func finally(
    on executor: some PromiseExecutor = .default, _ body: @escaping @Sendable () throws -> Void
  ) -> Promise<Value> {
    watch(on: executor) { _ in try body() }
  }

  /// Does something on the main actor in the end, whatever the outcome, and passes that on.
  @inlinable
  @discardableResult
  public func finally(
    on executor: MainActorExecutor, _ body: @escaping @MainActor @Sendable () throws -> Void
  ) -> Promise<Value> {
    finally(on: MainActorQueue.shared) { try MainActor.assumeIsolated { try body() } }
  }

  /// Shows the outcome to a closure, also when the new promise has been cancelled, and passes it on.
  @inlinable
  func watch(
    on executor: some PromiseExecutor,
    _ body: @escaping @Sendable (Result<Value, any Error>) throws -> Void
  ) -> Promise<Value> {
    let child = Promise(waitingFor: self)
    core.feed(
      child.core,
      Handler(.watcher, on: executor.identity) { outcome, worklist in
        var result = outcome.result(of: Value.self)
        do { try body(result) } catch { result = .failure(error) }
        child.settle(result, .parents, &worklist)
      }, of: self)
    return child
  }
}
