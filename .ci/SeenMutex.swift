import Synchronization

/// Stands in for `Synchronization.Mutex` in the copies that the thread sanitizer runs.
///
/// That one waits in the kernel by itself, which the sanitizer doesn't see: where two threads meet it reports
/// races that aren't there. This is the same lock, with an atomic value beside it that tells the order.
struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Synchronization.Mutex<Value>
  private let order = Atomic(0)

  init(_ value: consuming sending Value) {
    mutex = Synchronization.Mutex(value)
  }

  borrowing func withLock<Answer: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Answer
  ) throws(E) -> sending Answer {
    try mutex.withLock { (value: inout sending Value) throws(E) -> sending Answer in
      _ = order.load(ordering: .acquiring)
      defer { order.store(0, ordering: .releasing) }
      return try body(&value)
    }
  }

  borrowing func withLockIfAvailable<Answer: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Answer
  ) throws(E) -> sending Answer? {
    try mutex.withLockIfAvailable { (value: inout sending Value) throws(E) -> sending Answer in
      _ = order.load(ordering: .acquiring)
      defer { order.store(0, ordering: .releasing) }
      return try body(&value)
    }
  }
}
