public import Dispatch

/// A place where handlers run: a dispatch queue, the background, or the caller's own stack.
///
/// `DispatchQueue` conforms, so `on: queue` works as it stands. A type of your own needs one method
/// that runs each job exactly once, soon, and never inside `schedule(_:)` itself. Only ``inline``
/// may do that, because the library treats it specially.
///
/// The executor may be called from any thread, and from several at once. It doesn't have to
/// preserve order: the handlers of one promise on one executor are handed over one after another.
public protocol PromiseExecutor: AnyObject, Sendable {
  /// Runs a job later, exactly once.
  ///
  /// - Parameter job: The job to run. It doesn't throw, and returns when the handlers that are
  ///   ready have run.
  func schedule(_ job: @escaping @Sendable () -> Void)
}

@usableFromInline
enum ExecutorReference: Sendable {
  case inline
  /// The object that represents the executor.
  case on(any PromiseExecutor)
}

extension ExecutorReference {
  var id: ObjectIdentifier {
    switch self {
    case .inline: ObjectIdentifier(InlineExecutor.shared)
    case .on(let executor): ObjectIdentifier(executor)
    }
  }
}

extension PromiseExecutor {
  @inlinable var reference: ExecutorReference {
    if Self.self == InlineExecutor.self { return .inline }
    if let queue = self as? DispatchQueue { return .on(queue.canonical) }
    return .on(self)
  }
}

/// The default executor: the system's concurrent background queue, never the main one.
///
/// A handler may block here: only the later handlers of the same promise on this executor wait for
/// it, because the system adds threads.
public final class BackgroundExecutor: PromiseExecutor {
  @usableFromInline static let shared = BackgroundExecutor()

  private let queue = DispatchQueue.global()

  private init() {}

  /// Runs a job on a background thread.
  ///
  /// - Parameter job: The job to run.
  public func schedule(_ job: @escaping @Sendable () -> Void) {
    queue.async(execute: job)
  }
}

extension PromiseExecutor where Self == BackgroundExecutor {
  /// The concurrent background executor that is used when a handler names none.
  @inlinable
  public static var `default`: BackgroundExecutor { .shared }
}

/// The executor that runs handlers on the thread that settles the promise.
///
/// This is the one exception to the rule that no handler runs inside `resolve` or inside the call
/// that adds it. An inline handler of a pending promise runs before the call that settles it
/// returns. One that is added to a settled promise runs before that call returns, with two
/// exceptions: while an earlier inline handler of the same promise is running, and inside another
/// inline handler that was added to a settled promise. Then it runs right after that one.
///
/// Inline handlers that settle promises whose inline handlers settle others, and so on, are nested
/// 17 deep at most. From there on each runs right after the one that settled its promise, so that
/// no number of them exhausts the stack.
///
/// It is fast, because no thread is woken, and suits small pure steps. Don't use it for handlers
/// that block, or that take a lock which the code that settles the promise may hold.
public final class InlineExecutor: PromiseExecutor {
  @usableFromInline static let shared = InlineExecutor()

  private init() {}

  /// Runs a job before it returns.
  ///
  /// - Parameter job: The job to run.
  public func schedule(_ job: @escaping @Sendable () -> Void) {
    job()
  }
}

extension PromiseExecutor where Self == InlineExecutor {
  /// Runs handlers on the thread that settles the promise, without a hop.
  @inlinable
  public static var inline: InlineExecutor { .shared }
}
