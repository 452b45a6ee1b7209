import Synchronization

extension Promise {
  /// Returns a promise that waits for others. Once it is settled, it leaves those that are still
  /// pending. `early` returns the outcome if one input decides it, and `finish` returns it when all
  /// have settled.
  @usableFromInline
  static func combine(
    _ inputs: [any AnyPromise],
    early: @escaping @Sendable (Outcome) -> Outcome?,
    finish: @escaping @Sendable () -> Outcome
  ) -> Promise<Value> {
    guard !inputs.isEmpty else { return Promise(finish()) }
    let combined = Promise()
    let countdown = Countdown(from: inputs.count)
    combined.wait(for: inputs) { outcome, worklist in
      if let decided = early(outcome) {
        combined.core.settle(decided, .oneParent, of: combined, &worklist)
      } else if countdown.isLast() {
        combined.core.settle(finish(), .parents, of: combined, &worklist)
      }
    }
    return combined
  }

  private func wait(for inputs: [any AnyPromise], _ body: @escaping Handler.Body) {
    Worklist.run { worklist in
      var links: [Link] = []
      for input in inputs {
        switch input.core.addIfPending(Handler(.child, .inline, body)) {
        case .pending(let ticket): links.append(Link(input, ticket))
        case .settled(let outcome, _): body(outcome, &worklist)
        }
      }
      // If one of the inputs has already decided the outcome, this leaves all the others.
      core.attach(.many(links), &worklist)
    }
  }
}

private final class Countdown: Sendable {
  private let remaining: Atomic<Int>

  init(from count: Int) {
    remaining = Atomic(count)
  }

  func isLast() -> Bool {
    remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }
}

/// The error of a combination in which several promises have failed.
public struct AggregateError: Error, Sendable {
  /// The errors in the order of the inputs, not of the failures. It is empty if there were no
  /// inputs.
  public let errors: [any Error]

  package init(_ errors: [any Error]) {
    self.errors = errors
  }
}

extension AggregateError: CustomStringConvertible {
  /// The number of errors, and each error on a line of its own.
  public var description: String {
    guard !errors.isEmpty else { return "There was nothing to wait for." }
    return "\(errors.count) failed:" + errors.map { "\n- \($0)" }.joined()
  }
}

extension Promise {
  @usableFromInline var settledResult: Result<Value, any Error> {
    result ?? .failure(CancellationError())
  }
}
