/// A load that was started with a callback.
public final class LoadTask: Sendable {
  private let task: Task<Void, Never>

  init(_ body: @escaping @Sendable () async -> Void) {
    task = Task.detached { await body() }
  }

  /// Gives the load up: the callback is called with `CancellationError`, unless it has been called or is
  /// being called, and the request is cancelled. Cancelling again does nothing.
  public func cancel() {
    task.cancel()
  }

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { task.isCancelled }
}
