import Foundation
import Synchronization

/// What belongs to one load on its way through the stages: its time, what is known of it, and who is told.
final class LoadContext: Sendable {
  /// The number of the load within its client, from 1; 0 for loaders that don't count.
  let id: UInt64
  let clock: LoadClock
  /// Where the body goes; `nil` for memory.
  let destination: (any BodyDestination)?
  /// Is told how far the bodies have come.
  let progress: ProgressReporter?
  /// How long the load may take, for the error text.
  let timeout: Duration?
  /// Whether several loads wait for it: each of them keeps its own time, which may be longer than is known
  /// here when something begins.
  let isShared: Bool
  /// Bounds what this load and others of the client keep in memory.
  let memory: MemoryBudget?
  private let start: Duration
  private let observer: (@Sendable (LoadEvent) -> Void)?
  let termination: Mutex<Termination>
  private let state: Mutex<State>

  private struct State {
    var errorContext: ErrorContext
    var deadline: Duration?
    /// What works on behalf of this load.
    var followed: LoadContext?
    /// How much of the memory it has.
    var memory = 0
  }

  /// - Parameter endsWithTask: Whether the load ends only with the task that it runs in; see ``Termination``.
  init(
    _ request: Request, id: UInt64 = 0, clock: LoadClock = .system, timeout: Duration?,
    destination: (any BodyDestination)? = nil, progress: ProgressReporter? = nil,
    memory: MemoryBudget? = nil, endsWithTask: Bool = false,
    observer: (@Sendable (LoadEvent) -> Void)? = nil
  ) {
    let now = clock.now()
    self.id = id
    self.clock = clock
    self.observer = observer
    self.timeout = timeout
    self.destination = destination
    self.progress = progress
    self.memory = memory
    isShared = false
    start = now
    termination = Mutex(Termination(endsWithTask: endsWithTask))
    state = Mutex(
      State(errorContext: ErrorContext(request), deadline: timeout.map { now + $0 }))
  }

  /// The context of what several loads share.
  private init(
    sharedBy first: LoadContext, _ request: Request, progress: ProgressReporter,
    observer: @escaping @Sendable (LoadEvent) -> Void
  ) {
    id = first.id
    clock = first.clock
    self.observer = first.observer == nil ? nil : observer
    timeout = nil
    destination = nil
    self.progress = progress
    memory = first.memory
    isShared = true
    start = first.start
    termination = Mutex(Termination(endsWithTask: true))
    state = Mutex(State(errorContext: ErrorContext(request), deadline: first.deadline))
  }

  deinit {
    giveBackMemory()
  }
}

// MARK: - Memory

extension LoadContext {
  /// Takes some of the memory for bodies; `false` if there isn't so much left.
  func takeMemory(_ count: Int) -> Bool {
    guard let memory else { return true }
    guard memory.take(count) else { return false }
    state.withLock { $0.memory += count }
    return true
  }

  /// Gives back some of what was taken.
  func giveBackMemory(_ count: Int) {
    state.withLock { $0.memory -= count }
    memory?.giveBack(count)
  }

  /// Gives back what is left: the load is over.
  func giveBackMemory() {
    guard let memory else { return }
    let count = state.withLock { state in
      defer { state.memory = 0 }
      return state.memory
    }
    if count > 0 { memory.giveBack(count) }
  }
}

extension LoadContext {
  /// Whether somebody is told of what happens.
  var isObserved: Bool { observer != nil }
}

// MARK: - Going on

extension LoadContext {
  /// The context of what goes on when this load is over: with the time of a load of its own, and events in
  /// this one's name.
  func continued(with request: Request) -> LoadContext {
    LoadContext(
      request, id: id, clock: clock, timeout: request.options.timeout, memory: memory,
      endsWithTask: true, observer: observer)
  }
}

// MARK: - Sharing

extension LoadContext {
  /// The context of what several loads will share, this one first: it begins with this one's time, and has
  /// an error context of its own.
  ///
  /// - Parameters:
  ///   - request: What they load.
  ///   - progress: Is told how far the bodies have come.
  ///   - observer: Is told the events, if this one has an observer.
  func shared(
    for request: Request, progress: ProgressReporter,
    observer: @escaping @Sendable (LoadEvent) -> Void
  ) -> LoadContext {
    LoadContext(sharedBy: self, request, progress: progress, observer: observer)
  }

  /// From now on another one works on behalf of this load: what is known there counts here.
  func follow(_ other: LoadContext) {
    state.withLock { $0.followed = other }
  }

  /// Keeps what is known of the one that was followed until now.
  func unfollow() {
    let followed = state.withLock { state in
      defer { state.followed = nil }
      return state.followed
    }
    guard let known = followed?.errorContext else { return }
    note { $0.absorb(known) }
  }
}

// MARK: - Time

extension LoadContext {
  /// When the load has to be over, on its clock; `nil` for no limit.
  var deadline: Duration? { state.withLock { $0.deadline } }

  /// When its exchanges have to be over; `nil` if each of several loads that share them keeps its own time.
  ///
  /// A load that has no limit of its own needs no timer of its own for that: its exchanges have one.
  var exchangeDeadline: Duration? {
    guard let deadline else { return start + ExchangeLimits.defaultTimeout }
    return isShared ? nil : deadline
  }

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

// MARK: - Errors

extension LoadContext {
  /// What is known so far.
  private var errorContext: ErrorContext {
    var (known, followed) = state.withLock { ($0.errorContext, $0.followed) }
    if let followed { known.absorb(followed.errorContext) }
    return known
  }

  /// Takes note of something.
  func note(_ change: (inout ErrorContext) -> Void) {
    state.withLock { change(&$0.errorContext) }
  }

  /// The error to throw, with what is known: as much of it as there is time for, until the deadline and a moment
  /// beyond it, for the load may have ended because of it.
  func explain(_ error: any Error) -> any Error {
    let reason = error is CancellationError ? termination.withLock { $0.reason } : nil
    let end = deadline.map { max($0, clock.now()) + .milliseconds(100) }
    return errorContext.explain(reason ?? error) { [clock] in
      end.map { clock.now() > $0 } ?? false
    }
  }
}

// MARK: - Events

extension LoadContext {
  /// Reports an event to the observer, if there is one.
  // Not inlined: an event would take its room in every asynchronous function that tells one, for as long as it waits.
  @inline(never)
  func report(_ what: @autoclosure () -> LoadEvent.Kind) {
    guard let observer else { return }
    observer(LoadEvent(load: id, elapsed: clock.now() - start, kind: what()))
  }
}

/// How many bytes the bodies of all loads of a client may have in memory together.
final class MemoryBudget: Sendable {
  let limit: Int
  private let used = Mutex(0)

  init(_ limit: Int) { self.limit = limit }

  /// Takes some of it; `false` if there isn't so much left.
  func take(_ count: Int) -> Bool {
    used.withLock { used in
      guard count <= limit - used else { return false }
      used += count
      return true
    }
  }

  func giveBack(_ count: Int) { used.withLock { $0 -= count } }
}
