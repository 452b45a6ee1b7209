import Dispatch
import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ctrl-C: ends what is under way in an orderly way, the second time at once.
///
/// The signal's handler writes into a pipe. A signal source of Dispatch would do without one, but on Linux it now
/// and then misses a signal.
enum Interruption {
  /// Runs the body in a task that is cancelled by the first `SIGINT`.
  static func cancelling<R: Sendable>(_ body: @escaping @Sendable () async -> R) async -> R {
    let task = Task { await body() }
    guard let pipe else { return await task.value }
    let source = DispatchSource.makeReadSource(fileDescriptor: pipe.reading)
    source.setEventHandler {
      task.cancel()
      source.cancel()
    }
    source.resume()
    signal(SIGINT) { _ in
      signal(SIGINT, SIG_DFL)
      Interruption.tell()
    }
    let value = await task.value
    source.cancel()
    return value
  }

  /// `nil` if the process has no descriptors left; Ctrl-C ends it at once then. Made before the handler is set,
  /// which must not make anything.
  private static let pipe: (reading: Int32, writing: Int32)? = {
    var ends: [Int32] = [-1, -1]
    guard makePipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }()

  private static func tell() {
    guard let pipe else { return }
    var byte: UInt8 = 0
    _ = write(pipe.writing, &byte, 1)
  }
}

/// Inside of `Interruption` its own pipe hides the function.
private func makePipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
