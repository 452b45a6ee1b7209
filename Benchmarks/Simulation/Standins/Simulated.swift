import Synchronization

// What `../../simulate` adds to each module of the copy that it builds.

/// Lets another thread of the world run, if the seed says so.
@_silgen_name("sim_preempt")
private func preempt()

/// The number of the planted fault; 0 for none.
@_silgen_name("sim_planted_fault")
func plantedFault() -> Int32

/// Stands in for `Synchronization.Mutex`: the same lock, before which another thread may run.
struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Synchronization.Mutex<Value>

  init(_ value: consuming sending Value) {
    mutex = Synchronization.Mutex(value)
  }

  borrowing func withLock<Answer: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Answer
  ) throws(E) -> sending Answer {
    preempt()
    return try mutex.withLock(body)
  }

  borrowing func withLockIfAvailable<Answer: ~Copyable, E: Error>(
    _ body: (inout sending Value) throws(E) -> sending Answer
  ) throws(E) -> sending Answer? {
    preempt()
    return try mutex.withLockIfAvailable(body)
  }
}
