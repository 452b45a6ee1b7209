internal import Foundation

/// How a connection waits for another process that holds the lock it needs.
enum BusyWait {
  /// How long it sleeps before it tries again, on its own queue, where nobody else needs the thread.
  static let step = Duration.milliseconds(2)
  static let microseconds: UInt32 = 2000

  /// Sleeps and returns 1, or returns 0 where waiting has lasted long enough.
  static func goesOn(after count: Int, of limit: Int) -> Int32 {
    guard count < limit, !Task.isCancelled else { return 0 }
    usleep(microseconds)
    return 1
  }
}
