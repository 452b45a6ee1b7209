#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// How many worklists are being run on the current thread, one inside another.
///
/// A task-local value could count them too, but setting one takes longer than settling a promise.
enum NestingDepth {
  /// The deepest nesting. One level takes about 1.5 KB of stack besides what the handlers take.
  static let limit = 16

  /// The key of the count; `nil` if the system has no key left. Then nothing is counted.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return unsafe pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  // The count is stored in place of an address, which nothing ever reads from.
  static var current: Int {
    get { key.map { Int(bitPattern: unsafe pthread_getspecific($0)) } ?? 0 }
    set { if let key { unsafe pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) } }
  }
}
