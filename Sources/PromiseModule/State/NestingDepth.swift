#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The number of nested calls of handlers and cancel hooks on the current thread.
///
/// A task-local value could count them too, but setting one takes longer than settling a promise.
enum NestingDepth {
  /// The deepest nesting. One level takes about 1.5 KB of stack besides what the handlers take.
  private static let limit = 16

  /// The key of the count. If the system has no key left, it is `nil`, and nothing is counted.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  // The count is stored as a pointer value that is never dereferenced.

  /// Begins a call, and returns the depth to return to afterwards; `nil` if calls are nested too
  /// deep for another one.
  static func enter() -> Int? {
    guard let key else { return 0 }
    let depth = Int(bitPattern: unsafe pthread_getspecific(key))
    guard depth < limit else { return nil }
    unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: depth + 1))
    return depth
  }

  static func leave(to depth: Int) {
    if let key { unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: depth)) }
  }
}
