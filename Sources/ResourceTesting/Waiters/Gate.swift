import ResourcePrimitives
import Synchronization

/// A closed gate that a test opens, so that the test controls the order of events without sleeping.
///
/// A server's script waits at it with `Script.wait(_:)`, a task with `opened()`, and a thread (of a
/// parser, for example) with `blockUntilOpen()`. Arrivals are counted, so that the test can wait
/// for them:
///
/// ```swift
/// let gate = Gate()
/// let server = try LoopbackServer {
///   LoopbackRoute("GET /slow", [.wait(gate), .json("{}")])
/// }
/// let load = Task { try await fetch(server.url("/slow")) }
///
/// try await gate.waitForArrivals(count: 1)  // the request has reached the server
/// gate.open()  // and is answered from now on
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

  /// Creates a closed gate.
  public init() {}

  /// Whether `open()` was called.
  public var isOpen: Bool {
    state.value.isOpen
  }

  /// The number of scripts, tasks and threads that have reached the gate, including those that
  /// passed it.
  public var arrivals: Int {
    state.value.arrivals
  }

  /// Opens the gate for those that wait now and those that come later. A second call does nothing.
  public func open() {
    state.update { $0.isOpen = true }
    signal.withLock { $0 }?.fire()
  }

  /// Suspends until the gate is open; returns at once if it is.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before the gate opens; nothing else.
  public func opened() async throws {
    countArrival()
    _ = try await state.wait { $0.isOpen }
  }

  /// Blocks the calling thread until the gate is open; returns at once if it is.
  ///
  /// Use it in synchronous code, such as a parser or a completion handler under test. It can't be
  /// cancelled, so the test must open the gate.
  @available(*, noasync, message: "await opened() instead")
  public func blockUntilOpen() {
    countArrival()
    // Only cancellation or a failed state could throw, and neither happens here.
    _ = try? state.block { $0.isOpen }
  }

  /// Suspends until there have been at least `count` arrivals in total.
  ///
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout`` after a minute.
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

  /// Returns a signal for a server's thread, which must watch its connection at the same time.
  func watchableSignal() throws -> WakeSignal {
    let signal = try signal.withLock { signal in
      let made = try signal ?? WakeSignal()
      signal = made
      return made
    }
    // The gate may have been opened before the signal was created.
    if isOpen { signal.fire() }
    return signal
  }
}
