import Synchronization

/// A closed gate that a test opens when it is ready, so that the test decides about time instead of
/// sleeping.
///
/// A server's script waits at it with `Script.wait(_:)`, a task with `opened()`, and a thread (a
/// parser, say) with `blockUntilOpen()`. Whoever comes to the gate is counted, so that the test
/// can wait until they are there:
///
/// ```swift
/// let gate = Gate()
/// let server = try LoopbackServer {
///   LoopbackRoute("GET /slow", [.wait(gate), .json("{}")])
/// }
/// let load = Task { try await fetch(server.url("/slow")) }
///
/// try await gate.waitForArrivals(count: 1)  // the request is on the server now
/// gate.open()  // and is answered from here on
/// ```
///
/// A gate opens once and stays open. All methods may be called from any thread, in any order.
public final class Gate: Sendable {
  struct State {
    var isOpen = false
    var arrivals = 0
  }

  private let state = Observed(State())
  private let signal = Mutex<WakeSignal?>(nil)

  public init() {}

  /// Whether `open()` was called.
  public var isOpen: Bool {
    state.value.isOpen
  }

  /// How many scripts, tasks and threads have come to the gate, those that went through included.
  public var arrivals: Int {
    state.value.arrivals
  }

  /// Lets everyone through who waits now or comes later. Does nothing the second time.
  public func open() {
    state.update { $0.isOpen = true }
    signal.withLock { $0 }?.fire()
  }

  /// Suspends until the gate is open; goes on at once if it is.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before the gate opens; nothing else.
  public func opened() async throws {
    countArrival()
    _ = try await state.wait { $0.isOpen }
  }

  /// Blocks the calling thread until the gate is open; goes on at once if it is.
  ///
  /// For code that isn't asynchronous, such as a parser or a completion handler under test. It
  /// cannot be cancelled: the test must open the gate.
  @available(*, noasync, message: "await opened() instead")
  public func blockUntilOpen() {
    countArrival()
    // Only a task's cancellation or a failed observation could throw, and neither applies here.
    _ = try? state.block { $0.isOpen }
  }

  /// Suspends until at least `count` have come to the gate, from its making on.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout`` if that takes longer than a minute.
  public func waitForArrivals(count: Int) async throws {
    _ = try await state.wait { state in
      "\(count) arrivals at a gate: there were \(state.arrivals)"
    } until: {
      $0.arrivals >= count
    }
  }
}

extension Gate {
  func countArrival() {
    state.update { $0.arrivals += 1 }
  }

  /// What a server's thread waits for, which must watch its connection at the same time.
  ///
  /// - Throws: `LoopbackError` if the process has no descriptors left for a pipe.
  func watchableSignal() throws -> WakeSignal {
    let signal = try signal.withLock { signal in
      let made = try signal ?? WakeSignal()
      signal = made
      return made
    }
    // It may have been opened between the count and the making of the signal.
    if isOpen { signal.fire() }
    return signal
  }
}
