public import Synchronization

/// A value that arrives once, or the error that came instead.
///
/// A promise is pending until it is fulfilled with a value or rejected with an error; after that it
/// never changes. Handlers that are added before and after see the same outcome, in the order in
/// which they were added, and never inside the call that adds them (``InlineExecutor`` is the one
/// exception).
///
/// ```swift
/// let name = Promise { try await user(42) }
///   .map(\.name)
///   .recover(from: UserNotFound.self) { _ in "nobody" }
/// ```
///
/// A promise can be used from any thread, and kept, shared and handed on as one likes.
public final class Promise<Value: Sendable>: @unchecked Sendable {
  // The one `@unchecked` of the package, earned by measurement: with `Mutex<Machine>` and
  // `Mutex<Value?>`, which the compiler checks, creating, observing and resolving took 229 ns of CPU
  // time instead of 160, and a link of `map` in a chain of ten 265 instead of 186, because freeing
  // them looks up generic metadata, and because they take more locks. What it allows besides, memory
  // without a type that a value and the step before it share, brought these to 95 and 145, and took
  // an allocation from each. Why it is safe:
  // - `machine` is used only inside `locked`, or in `deinit`, where nobody else is left;
  // - the value in `room`, `hasValue` and the error in `machine.origin` are written once, inside
  //   `locked`, before `isSettled` is stored; whoever reads them without the lock has loaded
  //   `isSettled`, or was started by the settling. Nothing writes them after that;
  // - a step lies in `room` before that, and belongs, with `holdsStep`, to the reaction that will run
  //   it: whoever has taken that reaction out of the parent's audience, to run it or because it has
  //   left, takes the step, and only the one who runs it puts a value in its place. If nobody has,
  //   `deinit` frees it.
  @usableFromInline let lock = Mutex<Void>(())
  @usableFromInline let isSettled: Atomic<Bool>
  @exclusivity(unchecked) @usableFromInline var hasValue = false
  @exclusivity(unchecked) @usableFromInline var holdsStep = false
  @exclusivity(unchecked) @usableFromInline var machine: Machine
  @exclusivity(unchecked) @usableFromInline var room = Room()

  /// A pending promise that another one feeds, or nobody yet.
  @inlinable
  init(origin: Origin) {
    isSettled = Atomic(false)
    machine = Machine(origin: origin)
  }

  /// A promise that is settled from the start.
  @inlinable
  init(value: Value?, failure: (any Error)?) {
    isSettled = Atomic(true)
    machine = Machine(origin: failure.map { .failure($0) } ?? .none, phase: .settled)
    if let value { put(value) }
  }

  @inlinable
  deinit {
    if case .more = machine.origin { machine.reportUnobserved() }
    if hasValue || holdsStep { clearRoom() }
  }

  /// Changes the state, and publishes whether it is settled; nothing in it may call out.
  ///
  /// The load makes the order known to the thread sanitizer too, which can't see into a contended
  /// `Mutex`. It costs nothing that can be measured.
  @inlinable
  func locked<Answer: ~Copyable & Sendable>(_ body: (inout Machine) -> Answer) -> Answer {
    lock.withLock { _ in
      _ = isSettled.load(ordering: .acquiring)
      defer { isSettled.store(machine.phase == .settled, ordering: .releasing) }
      return body(&machine)
    }
  }

  /// The outcome of a promise that is known to be settled.
  @inlinable var settled: Result<Value, any Error> {
    if hasValue { return .success(kept) }
    return .failure(machine.origin.failure ?? CancellationError())
  }
}
