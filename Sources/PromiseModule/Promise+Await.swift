extension Promise {
  /// The value, awaited.
  ///
  /// A task that is cancelled while it waits stops waiting at once, and gives up its interest: if
  /// nobody else waits, the promise is cancelled. A promise that is settled answers without
  /// suspending, to a cancelled task too.
  ///
  /// - Throws: The error that the promise is rejected with; `CancellationError` if the promise or the
  ///   waiting task is cancelled.
  @inlinable public var value: Value { get async throws { try await get() } }

  /// Awaits the value, or that the promise is fulfilled.
  ///
  /// A task that is cancelled while it waits stops waiting at once, and gives up its interest: if
  /// nobody else waits, the promise is cancelled. A promise that is settled answers without
  /// suspending, to a cancelled task too.
  ///
  /// - Returns: The value.
  /// - Throws: The error that the promise is rejected with; `CancellationError` if the promise or the
  ///   waiting task is cancelled.
  @inlinable
  @discardableResult
  public func get() async throws -> Value {
    if let result { return try result.get() }
    let key = locked { $0.makeWaiterKey() }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        wait(Waiter(continuation).reaction(key))
      }
    } onCancel: {
      stopWaiting(key)
    }
    guard let result else { throw CancellationError() }
    return try result.get()
  }

  /// Awaits the outcome, whatever becomes of the waiting task: for cleaning up, where one has to know
  /// that something is over.
  ///
  /// Unlike ``get()`` it doesn't end early when the waiting task is cancelled, as `Task.result` doesn't,
  /// and it keeps its interest until the promise is settled. That makes it cheaper, too.
  ///
  /// - Returns: The value, or the error that the promise is rejected with; a promise that was cancelled
  ///   has a `CancellationError`.
  @inlinable
  public func outcome() async -> Result<Value, any Error> {
    if let result { return result }
    await withUnsafeContinuation { add(Waiter($0).reaction(Key(staying: ()))) }
    return settled
  }

  /// Joins the audience, for a task that has just suspended.
  @inlinable
  func wait(_ reaction: Reaction) {
    let key = reaction.key
    add(reaction)
    // A cancel before the line above found nobody to wake.
    if Task.isCancelled { stopWaiting(key) }
  }

  /// Wakes a task that no longer wants to wait, if it still does.
  @usableFromInline
  func stopWaiting(_ key: Key) {
    let departure = leaving(key)
    guard let reaction = departure.reaction else { return }
    var worklist = Worklist(lane: .inline)
    worklist.accept(Due(reaction, of: self))
    if let settlement = departure.cancelled { conclude(settlement, &worklist) }
    worklist.drain()
  }
}
