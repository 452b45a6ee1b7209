extension Promise {
  /// Returns a promise of the value that a closure returns for this promise's value.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - transform: Runs once, if the value arrives and the new promise hasn't been cancelled.
  /// - Returns: A promise of the new value, rejected with this one's error or with what the closure
  ///   throws. Cancelling it gives up its interest in this one.
  @inlinable
  public func map<NewValue: Sendable>(
    on executor: some PromiseExecutor = .default,
    _ transform: @escaping @Sendable (Value) throws -> NewValue
  ) -> Promise<NewValue> {
    let child = Promise<NewValue>(waitingFor: self)
    core.feed(
      child.core,
      Handler(.child, executor.reference) { outcome, worklist in
        guard child.core.isPending else { return }
        let mapped = Outcome { try transform(outcome.value()) }
        child.core.settle(mapped, .parents, of: child, &worklist)
      }, of: self)
    return child
  }
}
