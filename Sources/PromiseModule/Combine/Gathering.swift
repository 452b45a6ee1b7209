public import Synchronization

/// Promises of one type that a combined one waits for, as its upstream: when it leaves, it leaves them
/// all.
///
/// All of them share it, so that waiting for one more needs no memory.
@usableFromInline
final class Gathering<Input: Sendable, Output: Sendable>: Upstream {
  @usableFromInline let inputs: [Promise<Input>]
  /// It holds this one and is held by it, until it is settled.
  @usableFromInline let combined: Promise<Output>
  /// The combined outcome, if this input's decides it.
  @usableFromInline let early: @Sendable (Result<Input, any Error>) -> Result<Output, any Error>?
  /// Makes the combined outcome when all have arrived and none decided it.
  @usableFromInline let finish: @Sendable () -> Result<Output, any Error>
  @usableFromInline let remaining: Atomic<Int>

  @inlinable
  init(
    _ inputs: [Promise<Input>], for combined: Promise<Output>,
    early: @escaping @Sendable (Result<Input, any Error>) -> Result<Output, any Error>?,
    finish: @escaping @Sendable () -> Result<Output, any Error>
  ) {
    self.inputs = inputs
    self.combined = combined
    self.early = early
    self.finish = finish
    remaining = Atomic(inputs.count)
  }

  /// Gives up the interest in every input. Those that nobody else waits for are cancelled.
  @usableFromInline
  func leave(_ key: Key, _ worklist: inout Worklist) {
    for input in inputs.reversed() { worklist.depart(from: input, Key(child: self)) }
  }
}

extension Gathering {
  /// Waits for all inputs.
  @inlinable
  func start(_ worklist: inout Worklist) {
    for input in inputs {
      if input.result != nil {
        arrive(input, &worklist)
      } else {
        // Captures one object, so it needs no memory.
        let reaction = Reaction(.inline, key: Key(child: self)) { owner, lane, worklist in
          guard let owner else { return }
          Unmanaged<Promise<Input>>.fromOpaque(owner)._withUnsafeGuaranteedRef { input in
            self.arrive(input, &worklist)
            input.advance(lane, &worklist)
          }
        }
        input.add(reaction, &worklist)
      }
    }
  }

  @inlinable
  func arrive(_ input: Promise<Input>, _ worklist: inout Worklist) {
    if let outcome = early(input.settled) {
      if combined.settle(outcome, &worklist) { leave(Key(child: self), &worklist) }
    } else if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      combined.settle(finish(), &worklist)
    }
  }
}

extension Promise {
  /// Combines promises of one type.
  @inlinable
  static func combine<Input: Sendable>(
    _ inputs: [Promise<Input>],
    early: @escaping @Sendable (Result<Input, any Error>) -> Result<Value, any Error>?,
    finish: @escaping @Sendable () -> Result<Value, any Error>
  ) -> Promise<Value> {
    guard !inputs.isEmpty else {
      switch finish() {
      case .success(let value): return .fulfilled(value)
      case .failure(let error): return .rejected(error)
      }
    }
    let combined = Promise(origin: .none)
    let gathering = Gathering(inputs, for: combined, early: early, finish: finish)
    combined.locked { $0.origin = .upstream(gathering) }
    var worklist = Worklist(lane: .inline)
    gathering.start(&worklist)
    worklist.drain()
    return combined
  }
}
