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
    guard let settlement = close(.failure(CancellationError()), asBound: true) else {
      return false
    }
    var worklist = Worklist(lane: .inline)
    conclude(settlement, &worklist)
    worklist.drain()
    return true
  }
}
