public import Synchronization

/// A value that arrives once, or the error that came instead.
///
/// A promise is pending until it is fulfilled with a value or rejected with an error; after that it
/// never changes. Handlers that are added before and after see the same outcome, in the order in
/// which they were added, and never inside the call that adds them (``InlineExecutor`` is the one
/// exception).
///
/// ```swift
/// let name = Promise { try await user(42) }
///   .map(\.name)
///   .recover(from: UserNotFound.self) { _ in "nobody" }
/// ```
///
/// A promise can be used from any thread, and kept, shared and handed on as one likes.
public final class Promise<Value: Sendable>: Sendable {
  @usableFromInline let machine: Mutex<Machine<Value>>

  /// A pending promise that another one feeds, or nobody yet.
  @inlinable
  init(upstream: (any Upstream)?) {
    machine = Mutex(Machine(upstream: upstream))
  }

  /// A promise that is settled from the start.
  @inlinable
  init(settled result: Result<Value, any Error>) {
    machine = Mutex(Machine(result))
  }
}
