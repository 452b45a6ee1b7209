extension Promise {
  /// Gives the promise up: it is rejected with `CancellationError` at once.
  ///
  /// Its handlers see an ordinary rejection. The promise it was derived from loses one interest, and
  /// is cancelled too when that was the last: others who still wait there keep it going. At the root
  /// the work is stopped, by the closures of ``Resolver/onCancel(_:)`` or by cancelling the task.
  ///
  /// - Returns: Whether this call settled it; `false` if it was settled before.
  @discardableResult
  public func cancel() -> Bool {
    core.settle(.rejected(CancellationError()), .cancellation, of: self)
  }

  /// Returns a promise with the same outcome that cancels nothing when it leaves.
  ///
  /// Holding a promise is no interest in it: a combination or a timeout cancels what it no longer
  /// needs, even if the program keeps that for later. A shielded promise stands in for one that is to
  /// go on.
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
