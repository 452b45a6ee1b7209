import Foundation
import Synchronization

/// What belongs to one load on its way through the stages: its time, its evidence, and who is told of it.
final class LoadContext: Sendable {
  /// The number of the load within its loader, from 1; 0 where nobody counts.
  let id: UInt64
  let clock: LoadClock
  /// Whether nothing may be sent: somebody only wants to know what would be.
  let isDryRun: Bool
  /// How long the load may take, for the error text.
  let timeout: Duration?
  private let start: Duration
  private let observer: (@Sendable (LoadEvent) -> Void)?
  private let state: Mutex<State>

  private struct State {
    var evidence: Evidence
    var deadline: Duration?
  }

  init(
    _ request: Request, id: UInt64 = 0, clock: LoadClock = .system, timeout: Duration?,
    isDryRun: Bool = false, observer: (@Sendable (LoadEvent) -> Void)? = nil
  ) {
    let now = clock.now()
    self.id = id
    self.clock = clock
    self.isDryRun = isDryRun
    self.observer = observer
    self.timeout = timeout
    start = now
    state = Mutex(State(evidence: Evidence(request), deadline: timeout.map { now + $0 }))
  }
}

// MARK: - Time

extension LoadContext {
  /// When the load has to be over, on its clock; `nil` for no limit.
  var deadline: Duration? { state.withLock { $0.deadline } }

  /// What is left of its time.
  var remaining: Duration? { deadline.map { $0 - clock.now() } }

  /// Gives it more time, if it has a limit and the other one's is later or none.
  func extend(to deadline: Duration?) {
    state.withLock { state in
      guard let own = state.deadline else { return }
      state.deadline = deadline.map { max(own, $0) }
    }
  }
}

// MARK: - Evidence

extension LoadContext {
  /// What is known so far.
  var evidence: Evidence { state.withLock { $0.evidence } }

  /// Takes note of something.
  func note(_ change: (inout Evidence) -> Void) {
    state.withLock { change(&$0.evidence) }
  }

  /// The error to throw, with what is known.
  func explain(_ error: any Error) -> any Error { evidence.explain(error) }
}

// MARK: - Events

extension LoadContext {
  /// Tells whoever wants to know what has happened.
  func report(_ what: @autoclosure () -> LoadEvent.Kind) {
    guard let observer, !isDryRun else { return }
    observer(LoadEvent(load: id, elapsed: clock.now() - start, kind: what()))
  }
}
