/// The main actor as the place where handlers run.
///
/// It is not a ``PromiseExecutor``: the methods that take it take `@MainActor` handlers, so the
/// compiler lets them use the main actor's state without `await`, and lets no other executor run
/// them.
///
/// ```swift
/// promise.done(on: .main) { label.text = $0 }
/// ```
public struct MainActorExecutor: Sendable {
  /// The main actor.
  public static let main = MainActorExecutor()

  private init() {}
}

@usableFromInline
final class MainActorQueue: PromiseExecutor {
  @usableFromInline static let shared = MainActorQueue()

  private init() {}

  @usableFromInline
  func schedule(_ job: @escaping @Sendable () -> Void) {
    Task { @MainActor in job() }
  }
}

extension MainActorQueue {
  /// Wraps a closure of the main actor as one that this executor can run.
  @inlinable
  static func running<Input: Sendable, Output: Sendable>(
    _ body: @escaping @MainActor @Sendable (Input) throws -> Output
  ) -> @Sendable (Input) throws -> Output {
    { input in try MainActor.assumeIsolated { try body(input) } }
  }
}
