extension Promise {
  /// Cancels the promise, which is rejected with `CancellationError` at once.
  ///
  /// For handlers this is an ordinary rejection. The promise that this one was derived from loses
  /// one interest. If that was its last, it is cancelled, too; other handlers that wait for it keep
  /// it going. At the root, the closures of ``Resolver/onCancel(_:)-(()->Void)`` stop the work, or
  /// its task is cancelled.
  ///
  /// - Returns: Whether this call settled it; `false` if it was settled before.
  @discardableResult
  public func cancel() -> Bool {
    core.settle(.rejected(CancellationError()), .cancellation, of: self)
  }

  /// Returns a promise with the same outcome whose cancellation doesn't reach this one.
  ///
  /// Keeping a promise in a variable doesn't count as interest: a combination or a timeout cancels
  /// the promises it no longer needs, even those that the program still holds. Pass a shielded
  /// promise in place of one that must continue.
  ///
  /// ```swift
  /// let first = Promise.race([shutdown.shielded(), work])
  /// ```
  ///
  /// - Returns: A promise with this one's outcome. Cancelling it cancels only itself.
  public func shielded() -> Promise<Value> {
    let child = Promise(waitingFor: self)
    core.feed(child.core, .passing(to: child, .shielded), of: self)
    return child
  }
}
