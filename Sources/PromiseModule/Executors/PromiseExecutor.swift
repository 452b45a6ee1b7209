/// A place where handlers run: a dispatch queue, the background, or the caller's own stack.
///
/// `DispatchQueue` conforms, so `on: queue` works as it stands. A type of your own needs one method
/// that runs each job exactly once, soon, and never inside `schedule(_:)` itself: only ``inline``
/// may do that, because the library knows it by name.
///
/// The executor may be called from any thread, at the same time from several. It needs to keep no
/// order: the handlers of one promise on one executor are handed over one after another.
public protocol PromiseExecutor: AnyObject, Sendable {
  /// Runs a job later, exactly once.
  ///
  /// - Parameter job: What is to be run. It doesn't throw and may take as long as the handlers that
  ///   are ready take.
  func schedule(_ job: @escaping @Sendable () -> Void)
}
