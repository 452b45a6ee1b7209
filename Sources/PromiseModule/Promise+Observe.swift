extension Promise {
  /// Calls a closure with the outcome, without creating another promise.
  ///
  /// Use it to hand the outcome to a callback. It is cheaper than `done` when nothing follows. An
  /// observer can't be removed, and keeps its interest in the promise until the promise is settled.
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

  /// Calls a closure on the main actor with the outcome, without creating another promise.
  @inlinable
  public func observe(
    on executor: MainActorExecutor,
    _ body: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
  ) {
    observe(on: MainActorQueue.shared) { result in MainActor.assumeIsolated { body(result) } }
  }

  /// Reports rejections that nothing observes, of this promise and of all promises derived from it
  /// later.
  ///
  /// A rejection is observed when a handler is added, a task awaits it, ``result`` is read, or a
  /// `catch` closure gets it. If the promise is freed before any of these, the closure is called
  /// with the error, once, on the thread that frees the promise. Cancellations aren't reported.
  ///
  /// ```swift
  /// Promise { try await upload() }
  ///   .reportingUnobserved { print("nobody noticed: \($0)") }
  ///   .done { print("uploaded \($0)") }
  /// ```
  ///
  /// - Parameter report: The closure. It replaces one that was set or inherited before.
  /// - Returns: This promise.
  @discardableResult
  public func reportingUnobserved(
    _ report: @escaping @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    core.setReporter(report)
    return self
  }
}
