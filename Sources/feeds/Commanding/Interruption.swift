import Dispatch
import Foundation

/// Ctrl-C: ends what is under way in an orderly way, the second time at once.
enum Interruption {
  /// Runs the body in a task that is cancelled by the first `SIGINT`.
  static func cancelling<R: Sendable>(_ body: @escaping @Sendable () async -> R) async -> R {
    let task = Task { await body() }
    // The source sees the signal whether or not the process ignores it.
    signal(SIGINT, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGINT)
    source.setEventHandler {
      signal(SIGINT, SIG_DFL)
      task.cancel()
    }
    source.resume()
    defer { source.cancel() }
    return await task.value
  }
}
