import Dispatch
import PromiseModule

/// When a promise is settled, as seen by the handlers of a conformance test.
enum Timing: CaseIterable, Sendable {
  /// Before they are added.
  case already
  /// Right after they were added, by the same thread.
  case atOnce
  /// After they were added, by another thread.
  case later

  /// Passes a promise to a test, and settles it at its time.
  func settle<Answer>(
    _ outcome: Result<Int, any Error>, _ test: (Promise<Int>) -> Answer
  ) -> Answer {
    let (promise, resolver) = Promise<Int>.pending()
    if self == .already { resolver.resolve(outcome) }
    let answer = test(promise)
    switch self {
    case .already: break
    case .atOnce: resolver.resolve(outcome)
    case .later: DispatchQueue.global().async { resolver.resolve(outcome) }
    }
    return answer
  }

  func fulfill<Answer>(_ value: Int, _ test: (Promise<Int>) -> Answer) -> Answer {
    settle(.success(value), test)
  }

  func reject<Answer>(_ error: any Error, _ test: (Promise<Int>) -> Answer) -> Answer {
    settle(.failure(error), test)
  }
}
