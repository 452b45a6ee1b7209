/// A place in the audience of a promise for one task, which somebody else can have it leave.
///
/// The task waits as in ``Promise/get()``. It is for one wait only.
package struct Seat<Value: Sendable>: Sendable {
  private let promise: Promise<Value>
  private let key: Key

  fileprivate init(_ promise: Promise<Value>) {
    self.promise = promise
    key = promise.locked { $0.makeWaiterKey() }
  }
}

extension Promise {
  /// Makes a place for a task that will wait here.
  package func makeSeat() -> Seat<Value> { Seat(self) }
}

extension Seat {
  /// Awaits the value, or that the task is cancelled, or that somebody calls ``leave()``.
  ///
  /// - Parameter hasLeft: Whether ``leave()`` has been called already. It is asked once the task waits, so
  ///   that no call is missed.
  /// - Throws: The error that the promise is rejected with; `CancellationError` if the promise or the
  ///   waiting task is cancelled, or if the seat was left.
  package func value(unless hasLeft: () -> Bool) async throws -> Value {
    if let result = promise.result { return try result.get() }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        promise.wait(Waiter(continuation).reaction(key))
        if hasLeft() { leave() }
      }
    } onCancel: {
      leave()
    }
    guard let result = promise.result else { throw CancellationError() }
    return try result.get()
  }

  /// Has the task stop waiting, if it does, and gives up its interest: if nobody else waits, the promise is
  /// cancelled.
  package func leave() { promise.stopWaiting(key) }
}
