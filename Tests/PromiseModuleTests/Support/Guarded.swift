import Synchronization

/// A mutex whose order the thread sanitizer sees even when threads contend for it.
struct Guarded<Value: Sendable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>
  private let fence = Atomic(0)

  init(_ value: Value) {
    mutex = Mutex(value)
  }

  func withLock<Answer: Sendable>(_ body: (inout Value) -> Answer) -> Answer {
    mutex.withLock { value in
      _ = fence.load(ordering: .acquiring)
      defer { fence.store(0, ordering: .releasing) }
      return body(&value)
    }
  }
}
