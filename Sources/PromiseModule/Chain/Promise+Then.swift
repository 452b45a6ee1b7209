extension Promise {
  /// Continues with the promise that a closure returns for the value.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - next: Runs once, if the value arrives and the new promise hasn't been cancelled.
  /// - Returns: A promise that takes over the outcome of the one the closure returns, or is
  ///   rejected with this one's error or with what the closure throws. Cancelling it gives up its
  ///   interest in whichever of the two it waits for.
  @inlinable
  public func then<NewValue: Sendable>(
    on executor: some PromiseExecutor = .default,
    _ next: @escaping @Sendable (Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    let child = Promise<NewValue>(waitingFor: self)
    core.feed(
      child.core,
      Handler(.child, executor.reference) { outcome, worklist in
        guard child.core.isPending else { return }
        child.adopt(&worklist) { try next(outcome.value()) }
      }, of: self)
    return child
  }
}
