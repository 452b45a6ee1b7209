import Dispatch

/// The default executor: the system's concurrent background queue, never the main one.
///
/// A handler may block here without stopping others: the system adds threads.
public final class BackgroundExecutor: PromiseExecutor {
  @usableFromInline static let shared = BackgroundExecutor()

  private let queue = DispatchQueue.global()

  private init() {}

  /// Runs a job on a background thread.
  ///
  /// - Parameter job: What is to be run.
  public func schedule(_ job: @escaping @Sendable () -> Void) {
    queue.async(execute: job)
  }
}

extension PromiseExecutor where Self == BackgroundExecutor {
  /// The concurrent background executor that is used when a handler names none.
  @inlinable
  public static var `default`: BackgroundExecutor { .shared }
}
