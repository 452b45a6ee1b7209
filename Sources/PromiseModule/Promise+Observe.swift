extension Promise {
  /// Hands the outcome to a closure, and makes no promise.
  ///
  /// This is the way out of promises, to a callback: cheaper than `done` where nothing
  /// follows. It can't be taken back; its interest in the outcome lasts.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - body: Runs once, with the value or the error.
  @inlinable
  public func observe(
    on executor: some PromiseExecutor = .default,
    _ body: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) {
    core.add(
      Handler(.observer, executor.reference) { outcome, _ in body(outcome.result()) }, of: self)
  }

  /// Hands the outcome to a closure on the main actor, and makes no promise.
  @inlinable
  public func observe(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
  ) {
    observe(on: MainActorQueue.shared) { result in MainActor.assumeIsolated { body(result) } }
  }

  /// Reports a rejection that nobody has looked at, of this promise and of all that are derived from
  /// it later.
  ///
  /// A rejection is looked at when a handler is added, a task awaits it, ``result`` is read, or
  /// `catch` has seen it. When the promise is freed and nothing of that has happened, the
  /// closure is called with the error, once, on the thread that frees it. Cancellations aren't
  /// reported.
  ///
  /// ```swift
  /// Promise { try await upload() }
  ///   .reportingUnobserved { print("nobody noticed: \($0)") }
  ///   .done { print("uploaded \($0)") }
  /// ```
  ///
  /// - Parameter report: Is told the error. It replaces a report that was set, or inherited, before.
  /// - Returns: This promise.
  @discardableResult
  public func reportingUnobserved(
    _ report: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    core.setReporter(report)
    return self
  }
}
