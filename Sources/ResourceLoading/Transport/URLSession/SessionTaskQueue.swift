import Dispatch
import Foundation
import Synchronization

/// A queue on which tasks of URLSessions are created, resumed and cancelled, one at a time: on Linux each of these waits
/// for a queue that all sessions of the process share, in the worst case for seconds.
///
/// So at most one thread waits, and never the main one. It is the thread of a caller: callers that come while it is busy
/// leave their work to it. Waking another thread costs a tenth of a load.
enum SessionTaskQueue {
  private static let state = Mutex(SessionTaskQueueState())
  private static let queue = DispatchQueue(label: "ResourceLoading.SessionTaskQueue")

  /// Runs a closure now, or soon on another thread.
  static func run(_ body: @escaping @Sendable () -> Void) {
    guard !Thread.isMainThread else { return runLater(body) }
    guard state.withLock({ $0.append(body) }) else { return }
    // A caller's thread doesn't do the work of others for ever.
    for _ in 0..<16 {
      guard drainOnce() else { return }
    }
    drainLater()
  }

  /// Runs a closure soon on another thread.
  static func runLater(_ body: @escaping @Sendable () -> Void) {
    if state.withLock({ $0.append(body) }) { drainLater() }
  }

  private static func drainLater() {
    queue.async {
      while drainOnce() {}
    }
  }

  /// Runs the closures in the queue. Returns `false` if there were none.
  private static func drainOnce() -> Bool {
    let bodies = state.withLock { $0.takeAll() }
    for body in bodies { body() }
    return !bodies.isEmpty
  }
}

/// The state of the ``SessionTaskQueue``.
struct SessionTaskQueueState {
  private var bodies: [@Sendable () -> Void] = []
  private var isDraining = false

  /// - Returns: Whether the caller has to drain the queue, because no other thread does.
  mutating func append(_ body: @escaping @Sendable () -> Void) -> Bool {
    bodies.append(body)
    defer { isDraining = true }
    return !isDraining
  }

  /// Takes the closures out. If there are none, the queue isn't being drained any more.
  mutating func takeAll() -> [@Sendable () -> Void] {
    defer { bodies = [] }
    isDraining = !bodies.isEmpty
    return bodies
  }
}
