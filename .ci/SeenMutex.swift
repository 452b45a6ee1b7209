import Foundation

/// Stands in for `Synchronization.Mutex` in the copies that the thread sanitizer runs.
///
/// That one waits in the kernel by itself, which the sanitizer doesn't see: where two threads meet it reports
/// races that aren't there. It does see the lock of Foundation, which is one of pthreads.
struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let lock = NSLock()
  private let pointer: UnsafeMutablePointer<Value>

  init(_ value: consuming sending Value) {
    pointer = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    pointer.initialize(to: value)
  }

  deinit {
    pointer.deinitialize(count: 1)
    pointer.deallocate()
  }

  borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&pointer.pointee)
  }

  borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard lock.try() else { return nil }
    defer { lock.unlock() }
    return try body(&pointer.pointee)
  }
}
