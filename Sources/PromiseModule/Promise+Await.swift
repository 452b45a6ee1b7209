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
    return try await waitForValue()
  }

  @usableFromInline
  func waitForValue() async throws -> Value { try await makeWaiter().value() }

  /// Awaits the outcome, whatever becomes of the waiting task: for cleaning up, where one has to know
  /// that something is over.
  ///
  /// Unlike ``get()`` it doesn't end early when the waiting task is cancelled, as `Task.result` doesn't,
  /// and it keeps its interest until the promise is settled. That makes it cheaper, too.
  ///
  /// - Returns: The value, or the error that the promise is rejected with; a promise that was cancelled
  ///   has a `CancellationError`.
  public func outcome() async -> Result<Value, any Error> {
    if let result { return result }
    await withUnsafeContinuation { continuation in
      core.add(Handler(.observer, on: nil) { _, _ in continuation.resume() }, of: self)
    }
    return settledResult
  }
}

/// One task's wait for a promise, which somebody else can end.
///
/// It counts as an interest in the promise from the moment it is made. It is for one wait only.
package struct Waiter<Value: Sendable>: Sendable {
  private let promise: Promise<Value>
  /// `nil` if the promise is settled.
  private let ticket: UInt64?

  fileprivate init(_ promise: Promise<Value>) {
    self.promise = promise
    ticket = promise.core.addWaiter()
  }
}

extension Promise {
  /// Makes a waiter for a task that will wait here.
  package func makeWaiter() -> Waiter<Value> { Waiter(self) }
}

extension Waiter {
  /// Whether the promise was pending when the waiter was made.
  package var isWaiting: Bool { ticket != nil }

  /// Awaits the value, or that the task is cancelled, or that somebody calls ``leave()``.
  ///
  /// - Throws: The error that the promise is rejected with; `CancellationError` if the promise or the
  ///   waiting task is cancelled, or if ``leave()`` was called.
  package func value() async throws -> Value {
    await wait()
    guard let result = promise.result else { throw CancellationError() }
    return try result.get()
  }

  /// Has the task stop waiting, if it does, and gives up its interest: if nobody else waits, the promise is
  /// cancelled.
  package func leave() {
    guard let ticket else { return }
    var worklist = Worklist()
    promise.leave(ticket, &worklist)
    worklist.drain()
  }

  private func wait() async {
    guard let ticket else { return }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waits = promise.core.locked { machine in
          machine.fill(ticket) { _, _ in continuation.resume() }
        }
        // It has left, or the promise is settled.
        if !waits { continuation.resume() }
      }
    } onCancel: {
      leave()
    }
  }
}
