// Overloads for what is often written by mistake; their messages say what to write instead.
//
// The type checker looks at unavailable overloads only where nothing else fits, so they make no
// program that compiles ambiguous, and don't slow it down. A deprecated overload would do both.

extension Promise {
  /// Not available: a closure that returns a promise belongs to `then`.
  @available(
    *, unavailable, renamed: "then(on:_:)",
    message: "a closure that returns a promise belongs to 'then'"
  )
  @_documentation(visibility: internal)
  public func map<NewValue: Sendable>(
    on executor: some PromiseExecutor = .default,
    _ transform: @escaping @Sendable (Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    then(on: executor, transform)
  }

  /// Not available: a closure that returns a promise belongs to `then`.
  @available(
    *, unavailable, renamed: "then(on:_:)",
    message: "a closure that returns a promise belongs to 'then'"
  )
  @_documentation(visibility: internal)
  public func map<NewValue: Sendable>(
    on executor: MainActorExecutor,
    _ transform: @escaping @MainActor @Sendable (Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    then(on: executor, transform)
  }

  /// Not available: a closure that returns a value belongs to `map`.
  @available(
    *, unavailable, renamed: "map(on:_:)",
    message: "a closure that returns a value belongs to 'map'"
  )
  @_documentation(visibility: internal)
  public func then<NewValue: Sendable>(
    on executor: some PromiseExecutor = .default,
    _ next: @escaping @Sendable (Value) throws -> NewValue
  ) -> Promise<NewValue> {
    map(on: executor, next)
  }

  /// Not available: a closure that returns a value belongs to `map`.
  @available(
    *, unavailable, renamed: "map(on:_:)",
    message: "a closure that returns a value belongs to 'map'"
  )
  @_documentation(visibility: internal)
  public func then<NewValue: Sendable>(
    on executor: MainActorExecutor,
    _ next: @escaping @MainActor @Sendable (Value) throws -> NewValue
  ) -> Promise<NewValue> {
    map(on: executor, next)
  }

  /// Not available: a closure that returns a promise belongs to `recoverWith`.
  @available(
    *, unavailable, renamed: "recoverWith(on:_:)",
    message: "a closure that returns a promise belongs to 'recoverWith'"
  )
  @_documentation(visibility: internal)
  public func recover(
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (any Error) throws -> Promise<Value>
  ) -> Promise<Value> {
    recoverWith(on: executor, body)
  }
}
