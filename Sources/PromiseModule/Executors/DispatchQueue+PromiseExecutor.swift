public import Dispatch

extension DispatchQueue: PromiseExecutor {
  /// Runs a job on this queue.
  ///
  /// - Parameter job: What is to be run.
  public func schedule(_ job: @escaping @Sendable () -> Void) {
    async(execute: job)
  }
}

extension PromiseExecutor where Self == DispatchQueue {
  /// The main dispatch queue.
  ///
  /// A program on Linux drains it only if it calls `dispatchMain()`, runs a run loop, or has an
  /// `async` main: handlers wait there for ever otherwise.
  public static var main: DispatchQueue { DispatchQueue.main }
}
