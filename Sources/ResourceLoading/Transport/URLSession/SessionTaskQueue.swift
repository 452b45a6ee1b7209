import Dispatch
import Foundation
import Synchronization

/// A queue on which tasks of URLSessions are made, resumed and cancelled, one at a time: on Linux each of these waits
/// for a queue that all sessions of the process share, for seconds if it comes to the worst.
///
/// So at most one thread waits, never the main one. It is the thread of a caller: callers that come while it is busy
/// leave their work to it. Waking another thread costs as much as a tenth of a load.
enum SessionTaskQueue {
  private static let state = Mutex(SessionTaskQueueState())
  private static let queue = DispatchQueue(label: "ResourceLoading.SessionTaskQueue")

  /// Runs something now, or soon on another thread.
  static func run(_ body: @escaping @Sendable () -> Void) {
    guard !Thread.isMainThread else { return runLater(body) }
    guard state.withLock({ $0.append(body) }) else { return }
    // No caller's thread is kept for ever by the work of others.
    for _ in 0..<16 {
      guard drainOnce() else { return }
    }
    drainLater()
  }

  /// Runs something soon on another thread.
  static func runLater(_ body: @escaping @Sendable () -> Void) {
    if state.withLock({ $0.append(body) }) { drainLater() }
  }

  private static func drainLater() {
    queue.async {
      while drainOnce() {}
    }
  }

  /// Runs what is in the queue; `false` if there was nothing.
  private static func drainOnce() -> Bool {
    let bodies = state.withLock { $0.takeAll() }
    for body in bodies { body() }
    return !bodies.isEmpty
  }
}

/// What is in the queue, without the lock.
struct SessionTaskQueueState {
  private var bodies: [@Sendable () -> Void] = []
  private var isDraining = false

  /// - Returns: Whether the caller is to drain the queue, since no other thread does.
  mutating func append(_ body: @escaping @Sendable () -> Void) -> Bool {
    bodies.append(body)
    defer { isDraining = true }
    return !isDraining
  }

  /// Takes everything out; if there is nothing, the queue isn't being drained any more.
  mutating func takeAll() -> [@Sendable () -> Void] {
    defer { bodies = [] }
    isDraining = !bodies.isEmpty
    return bodies
  }
}
