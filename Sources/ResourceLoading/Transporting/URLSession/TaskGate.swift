import Dispatch
import Foundation
import Synchronization

/// Where tasks of URLSessions are made, one at a time: on Linux making, resuming and cancelling one waits for
/// a queue that all sessions of the process share, for seconds if it comes to the worst.
///
/// So at most one thread waits, never the main one. Whoever comes meanwhile leaves what is to be done to the one who
/// is there: waking another thread costs as much as a tenth of a load.
enum TaskGate {
  private static let line = Mutex(TaskLine())
  private static let queue = DispatchQueue(label: "ResourceLoading.URLSessionTransport")

  /// Does something now, or soon on another thread.
  static func pass(_ body: @escaping @Sendable () -> Void) {
    guard !Thread.isMainThread else { return passLater(body) }
    guard line.withLock({ $0.enter(body) }) else { return }
    // Nobody's thread is kept for ever by what others bring.
    for _ in 0..<16 {
      guard serve() else { return }
    }
    serveLater()
  }

  /// Does something soon on another thread.
  static func passLater(_ body: @escaping @Sendable () -> Void) {
    if line.withLock({ $0.enter(body) }) { serveLater() }
  }

  private static func serveLater() {
    queue.async {
      while serve() {}
    }
  }

  /// Does what there is to be done; `false` if there was nothing.
  private static func serve() -> Bool {
    let bodies = line.withLock { $0.leave() }
    for body in bodies { body() }
    return !bodies.isEmpty
  }
}

/// Who stands at the gate, without the lock.
struct TaskLine {
  private var waiting: [@Sendable () -> Void] = []
  private var isServed = false

  /// - Returns: Whether the caller is to serve the line, for nobody else does.
  mutating func enter(_ body: @escaping @Sendable () -> Void) -> Bool {
    waiting.append(body)
    defer { isServed = true }
    return !isServed
  }

  /// Takes out all that wait; if nobody does, the line isn't served any more.
  mutating func leave() -> [@Sendable () -> Void] {
    defer { waiting = [] }
    isServed = !waiting.isEmpty
    return waiting
  }
}
