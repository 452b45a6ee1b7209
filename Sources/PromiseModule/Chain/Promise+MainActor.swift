// The chaining methods for closures on the main actor. Only the type of the closure differs.

extension Promise {
  /// Returns a promise of the value that a closure on the main actor returns for this one's.
  @inlinable
  public func map<NewValue: Sendable>(
    on executor: MainActorExecutor,
    _ transform: @escaping @MainActor @Sendable (Value) throws -> NewValue
  ) -> Promise<NewValue> {
    map(on: MainActorQueue.shared, MainActorQueue.running(transform))
  }

  /// Continues with the promise that a closure on the main actor returns for the value.
  @inlinable
  public func then<NewValue: Sendable>(
    on executor: MainActorExecutor,
    _ next: @escaping @MainActor @Sendable (Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    then(on: MainActorQueue.shared, MainActorQueue.running(next))
  }

  /// Runs a closure on the main actor with the value, and passes the value on.
  @inlinable
  @discardableResult
  public func done(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (Value) throws -> Void
  ) -> Promise<Value> {
    done(on: MainActorQueue.shared, MainActorQueue.running(body))
  }

  /// Runs a closure on the main actor with the error, and passes the outcome on.
  @inlinable
  @discardableResult
  public func `catch`(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    self.catch(on: MainActorQueue.shared) { error in MainActor.assumeIsolated { body(error) } }
  }

  /// Runs a closure on the main actor when the promise is settled in any way, and passes the
  /// outcome on.
  @inlinable
  @discardableResult
  public func finally(
    on executor: MainActorExecutor, _ body: @escaping @MainActor @Sendable () throws -> Void
  ) -> Promise<Value> {
    finally(on: MainActorQueue.shared) { try MainActor.assumeIsolated(body) }
  }

  /// Turns a rejection into a value, on the main actor.
  @inlinable
  public func recover(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (any Error) throws -> Value
  ) -> Promise<Value> {
    recover(on: MainActorQueue.shared, MainActorQueue.running(body))
  }

  /// Turns a rejection with one type of error into a value, on the main actor.
  @inlinable
  public func recover<Failure: Error>(
    from type: Failure.Type, on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (Failure) throws -> Value
  ) -> Promise<Value> {
    recover(from: type, on: MainActorQueue.shared, MainActorQueue.running(body))
  }

  /// Continues after a rejection with the promise that a closure on the main actor returns.
  @inlinable
  public func recoverWith(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (any Error) throws -> Promise<Value>
  ) -> Promise<Value> {
    recoverWith(on: MainActorQueue.shared, MainActorQueue.running(body))
  }

  /// Continues after a rejection with one type of error with the promise that a closure on the main
  /// actor returns.
  @inlinable
  public func recoverWith<Failure: Error>(
    from type: Failure.Type, on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (Failure) throws -> Promise<Value>
  ) -> Promise<Value> {
    recoverWith(from: type, on: MainActorQueue.shared, MainActorQueue.running(body))
  }
}
