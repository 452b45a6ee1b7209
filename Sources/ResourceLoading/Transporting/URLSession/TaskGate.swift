import Dispatch
import Foundation
import Synchronization

/// Where tasks of URLSessions are made, one at a time: on Linux making, resuming and cancelling one waits for
/// a queue that all sessions of the process share, for seconds if it comes to the worst.
///
/// So it is done on the caller's thread only if nobody else is doing it, which saves a change of threads; at
/// most one thread waits then. Never on the main thread.
enum TaskGate {
  private static let gate = Mutex(())
  private static let queue = DispatchQueue(label: "ResourceLoading.URLSessionTransport")

  /// Does something now, or soon on another thread.
  static func pass(_ body: @escaping @Sendable () -> Void) {
    let isDone = !Thread.isMainThread && gate.withLockIfAvailable { _ in body() } != nil
    if !isDone { passLater(body) }
  }

  /// Does something soon on another thread.
  static func passLater(_ body: @escaping @Sendable () -> Void) {
    queue.async { gate.withLock { _ in body() } }
  }
}
