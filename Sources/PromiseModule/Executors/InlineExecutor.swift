/// The executor that hops nowhere: handlers run on the thread that settles the promise.
///
/// This is the one exception to the rule that no handler runs inside `resolve` or inside the call
/// that adds it. An inline handler of a pending promise runs before the call that settles it
/// returns; one that is added to a settled promise runs before that call returns, unless an earlier
/// inline handler of the same promise is running at that moment: then it runs right after it.
///
/// Fast (no thread is woken), and right for small pure steps. Wrong for anything that blocks or that
/// takes a lock which the code that settles may hold.
public final class InlineExecutor: PromiseExecutor {
  @usableFromInline static let shared = InlineExecutor()

  private init() {}

  /// Runs a job at once.
  ///
  /// - Parameter job: What is to be run.
  public func schedule(_ job: @escaping @Sendable () -> Void) {
    job()
  }
}

extension PromiseExecutor where Self == InlineExecutor {
  /// Runs handlers on the thread that settles the promise, without a hop.
  @inlinable
  public static var inline: InlineExecutor { .shared }
}
