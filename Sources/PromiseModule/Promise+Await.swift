extension Promise {
  /// The value, awaited as ``get()`` does.
  ///
  /// - Throws: The error that the promise is rejected with; `CancellationError` if the promise or
  ///   the waiting task is cancelled.
  @inlinable public var value: Value { get async throws { try await get() } }

  /// Waits until the promise is settled, and returns its value.
  ///
  /// A task that is cancelled while it waits stops waiting at once, and gives up its interest: if
  /// nothing else waits, the promise is cancelled. If the promise is already settled, the call
  /// doesn't suspend, and returns or throws the outcome even in a cancelled task.
  ///
  /// - Returns: The value.
  /// - Throws: The error that the promise is rejected with; `CancellationError` if the promise or
  ///   the waiting task is cancelled.
  @inlinable
  @discardableResult
  public func get() async throws -> Value {
    let outcome =
      switch core.addWaiter() {
      case .settled(let outcome, _): outcome
      case .pending(let ticket): await Link(self, ticket).outcome()
      }
    return try outcome.value()
  }
}

extension Link {
  /// Waits as the handler with this number until the promise is settled or the task is cancelled.
  /// Returns a `CancellationError` if the wait ends without an outcome.
  @usableFromInline
  func outcome() async -> Outcome {
    await withTaskCancellationHandler {
      // Resumed exactly once: by the handler if the promise accepted it, which calls it when it is
      // settled or when the handler leaves; otherwise here.
      await unsafe withUnsafeContinuation { continuation in
        let waits = promise.core.fill(ticket) { outcome, _ in
          unsafe continuation.resume(returning: outcome)
        }
        if !waits {
          let outcome = promise.core.observe() ?? .rejected(CancellationError())
          unsafe continuation.resume(returning: outcome)
        }
      }
    } onCancel: {
      NestedCalls.run(.event { leave(&$0) }, in: NestedCalls.$cancels)
    }
  }
}
