import Synchronization

extension Promise {
  /// Returns a promise that waits for others, and leaves those it doesn't need as soon as it is
  /// settled.
  ///
  /// - Parameters:
  ///   - inputs: The promises to wait for.
  ///   - early: The combined outcome, if that of one input decides it.
  ///   - finish: Makes the combined outcome when all inputs have settled and none decided it.
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
      // If the outcome has been decided meanwhile, it was by an input: here all the others are
      // left.
      core.attach(.many(links), &worklist)
    }
  }
}

/// Counts how many inputs are still pending.
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
  /// What they failed with, in the order of the inputs, not of the failures. It is empty if there
  /// were no inputs of which one could have been fulfilled.
  public let errors: [any Error]

  package init(_ errors: [any Error]) {
    self.errors = errors
  }
}

extension AggregateError: CustomStringConvertible {
  /// How many there are, and each of them on a line of its own.
  public var description: String {
    guard !errors.isEmpty else { return "There was nothing to wait for." }
    return "\(errors.count) failed:" + errors.map { "\n- \($0)" }.joined()
  }
}

extension Promise {
  /// The result of an input when all have settled.
  @usableFromInline var settledResult: Result<Value, any Error> {
    result ?? .failure(CancellationError())
  }
}
