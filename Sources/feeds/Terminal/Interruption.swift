import Foundation

/// Ctrl-C: cancels the program's task the first time, and ends the program at once the second time.
///
/// The signal's handler writes into a pipe. A signal source of Dispatch needs none, but on Linux it
/// sometimes misses a signal.
enum Interruption {
  /// Runs the body in a task that is cancelled by the first `SIGINT`.
  static func cancelling<R: Sendable>(_ body: @escaping @Sendable () async -> R) async -> R {
    let task = Task { await body() }
    guard let ends else { return await task.value }
    Thread.detachNewThread {
      var byte: UInt8 = 0
      // These calls use one byte, or two ends, for as long as they run.
      _ = unsafe read(ends.reading, &byte, 1)
      task.cancel()
    }
    signal(SIGINT) { _ in
      signal(SIGINT, SIG_DFL)
      var byte: UInt8 = 0
      _ = Interruption.ends.map { unsafe write($0.writing, &byte, 1) }
    }
    return await task.value
  }

  /// The ends of the pipe; `nil` if the process has no descriptors left, so that Ctrl-C ends it at
  /// once. Made before the handler is set, which must not allocate.
  private static let ends: (reading: Int32, writing: Int32)? = {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()
}
