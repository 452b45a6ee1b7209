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
    guard let outcome = await Link.waiting(for: self)?.outcome() ?? core.observe() else {
      throw CancellationError()
    }
    return try outcome.result(of: Value.self).get()
  }

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
    return result ?? .failure(CancellationError())
  }
}

extension Link {
  /// Counts a task that is about to wait as interested in a promise.
  ///
  /// - Returns: `nil` if the promise is settled.
  @usableFromInline
  static func waiting(for promise: any AnyPromise) -> Link? {
    let admission = promise.core.addIfPending(Handler(.waiter, on: nil, nil))
    return if case .waits(let ticket) = admission { Link(promise, ticket) } else { nil }
  }

  /// Waits for the promise, or that the task is cancelled, or that somebody leaves for it.
  ///
  /// - Returns: The outcome, or a rejection if the wait has ended; `nil` if it had ended before.
  @usableFromInline
  func outcome() async -> Outcome? {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let waits = promise.core.fill(ticket) { outcome, _ in
          continuation.resume(returning: outcome)
        }
        if !waits { continuation.resume(returning: promise.core.observe()) }
      }
    } onCancel: {
      Worklist.run(leave)
    }
  }
}

/// One task's wait for a promise, which somebody else can end.
///
/// It counts as an interest in the promise from the moment it is made. It is for one wait only.
package struct Waiter<Value: Sendable>: Sendable {
  private let promise: Promise<Value>
  /// `nil` if the promise is settled.
  private let link: Link?

  fileprivate init(_ promise: Promise<Value>) {
    self.promise = promise
    link = .waiting(for: promise)
  }
}

extension Promise {
  /// Makes a waiter for a task that will wait here.
  package func makeWaiter() -> Waiter<Value> { Waiter(self) }
}

extension Waiter {
  /// Whether the promise was pending when the waiter was made.
  package var isWaiting: Bool { link != nil }

  /// Awaits the value, or that the task is cancelled, or that somebody calls ``leave()``.
  ///
  /// - Throws: The error that the promise is rejected with; `CancellationError` if the promise or the
  ///   waiting task is cancelled, or if ``leave()`` was called.
  package func value() async throws -> Value {
    guard let outcome = await link?.outcome() ?? promise.core.observe() else {
      throw CancellationError()
    }
    return try outcome.result(of: Value.self).get()
  }

  /// Has the task stop waiting, if it does, and gives up its interest: if nobody else waits, the promise is
  /// cancelled.
  package func leave() {
    if let link { Worklist.run(link.leave) }
  }
}
