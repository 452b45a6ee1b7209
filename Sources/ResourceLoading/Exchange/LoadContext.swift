import Foundation
import Synchronization

/// The state of one load on its way through the middleware: its time limit, its error context, and
/// its observers.
final class LoadContext: Sendable {
  /// The number of the load within its client, from 1; 0 for loaders that don't count.
  let id: UInt64
  let clock: LoadClock
  /// The destination of the body; `nil` for memory.
  let destination: (any BodyDestination)?
  /// Reports the progress of the bodies.
  let progress: ProgressReporter?
  /// Whether several loads wait for it. Each of them has a time limit of its own, and one that
  /// joins later may have a longer one.
  let isShared: Bool
  /// The memory limit of all loads of the client.
  let memory: MemoryBudget?
  /// How often the client's cookies had been removed when the load began; `nil` if it has no jar.
  let cookieRemovals: Int?
  /// Whether ``end(with:)`` will be called.
  private let hasEnding: Bool
  private let start: Duration
  private let observer: (@Sendable (LoadEvent) -> Void)?
  let termination: Mutex<Termination>
  private let state: Mutex<State>

  private struct State {
    var errorContext: ErrorContext
    var deadline: Duration?
    /// The context that works on behalf of this load.
    var followed: LoadContext?
    /// The number of bytes that were taken from `memory`.
    var memory = 0
    /// The trace that the load is a part of.
    var trace: LoadEvent.Trace?
    /// The trace of the load that sent the request for this one.
    var sharedTrace: LoadEvent.Trace?
    /// Called when the load is over.
    var ending: (@Sendable ((any Error)?) -> Void)?
  }

  /// - Parameters:
  ///   - endsWithTask: Whether the load ends only with the task that it runs in; see
  ///     ``Termination``.
  ///   - hasEnding: Whether ``end(with:)`` will be called.
  init(
    _ request: Request, id: UInt64 = 0, clock: LoadClock = .system, timeout: Duration?,
    destination: (any BodyDestination)? = nil, progress: ProgressReporter? = nil,
    memory: MemoryBudget? = nil, cookieRemovals: Int? = nil, endsWithTask: Bool = false,
    hasEnding: Bool = false, observer: (@Sendable (LoadEvent) -> Void)? = nil
  ) {
    let now = clock.now()
    self.id = id
    self.clock = clock
    self.observer = observer
    self.destination = destination
    self.progress = progress
    self.memory = memory
    self.cookieRemovals = cookieRemovals
    isShared = false
    self.hasEnding = hasEnding
    start = now
    termination = Mutex(Termination(endsWithTask: endsWithTask))
    state = Mutex(
      State(errorContext: ErrorContext(request), deadline: timeout.map { now + $0.countable }))
  }

  /// Creates the context of an exchange that several loads share.
  private init(
    sharedBy first: LoadContext, _ request: Request, progress: ProgressReporter,
    observer: @escaping @Sendable (LoadEvent) -> Void
  ) {
    id = first.id
    clock = first.clock
    self.observer = first.observer == nil ? nil : observer
    destination = nil
    self.progress = progress
    memory = first.memory
    cookieRemovals = first.cookieRemovals
    isShared = true
    hasEnding = false
    start = first.start
    termination = Mutex(Termination(endsWithTask: true))
    state = Mutex(
      State(
        errorContext: ErrorContext(request), deadline: first.deadline, trace: first.trace))
  }

  deinit {
    giveBackMemory()
  }
}

// MARK: - Memory

extension LoadContext {
  /// Takes bytes from the memory for bodies. Returns `false` if there aren't so many left.
  func takeMemory(_ count: Int) -> Bool {
    guard let memory else { return true }
    guard memory.take(count) else { return false }
    state.withLock { $0.memory += count }
    return true
  }

  /// Gives back some of the bytes that were taken.
  func giveBackMemory(_ count: Int) {
    state.withLock { $0.memory -= count }
    memory?.giveBack(count)
  }

  /// Gives back all bytes, at the end of the load.
  func giveBackMemory() {
    guard let memory else { return }
    let count = state.withLock { state in
      defer { state.memory = 0 }
      return state.memory
    }
    if count > 0 { memory.giveBack(count) }
  }
}

// MARK: - Going on

extension LoadContext {
  /// Returns a context for work that continues after this load: with a time limit of its own, and
  /// with events under this load's number.
  func continued(with request: Request) -> LoadContext {
    let context = LoadContext(
      request, id: id, clock: clock, timeout: request.options.timeout, memory: memory,
      cookieRemovals: cookieRemovals, endsWithTask: true, observer: observer)
    context.trace = trace
    return context
  }
}

// MARK: - Sharing

extension LoadContext {
  /// Returns the context of an exchange that several loads will share, this one first. It begins
  /// with this load's deadline, and has an error context of its own.
  ///
  /// - Parameters:
  ///   - request: The shared request.
  ///   - progress: Reports the progress of the bodies.
  ///   - observer: Receives the events, if this load has an observer.
  func shared(
    for request: Request, progress: ProgressReporter,
    observer: @escaping @Sendable (LoadEvent) -> Void
  ) -> LoadContext {
    LoadContext(sharedBy: self, request, progress: progress, observer: observer)
  }

  /// Follows a context that works on behalf of this load: its exchanges are part of this load's
  /// error.
  func follow(_ other: LoadContext) {
    state.withLock { $0.followed = other }
  }

  /// Stops following.
  ///
  /// - Parameter keepingExchanges: Whether the exchanges so far are part of this load's error.
  func unfollow(keepingExchanges: Bool = true) {
    let followed = state.withLock { state in
      defer { state.followed = nil }
      return state.followed
    }
    guard let followed, keepingExchanges else { return }
    let (known, trace) = (followed.errorContext, followed.trace)
    note { $0.absorb(known) }
    state.withLock { $0.sharedTrace = trace == $0.trace ? nil : trace }
  }
}

// MARK: - Traces

extension LoadContext {
  /// The trace that the load is a part of; `nil` for none.
  var trace: LoadEvent.Trace? {
    get { state.withLock { $0.trace } }
    set { state.withLock { $0.trace = newValue } }
  }

  /// The trace of another load, whose response this one shared.
  var sharedTrace: LoadEvent.Trace? { state.withLock { $0.sharedTrace } }
}

// MARK: - The end

extension LoadContext {
  /// Has a closure called when the load is over, with its error.
  ///
  /// - Returns: Whether it will be called: not for work that several loads share or that outlives
  ///   its load.
  func atEnd(_ body: @escaping @Sendable ((any Error)?) -> Void) -> Bool {
    guard hasEnding else { return false }
    state.withLock { state in
      guard let earlier = state.ending else {
        state.ending = body
        return
      }
      state.ending = { error in
        body(error)
        earlier(error)
      }
    }
    return true
  }

  /// Ends the load: calls the closures of ``atEnd(_:)``.
  func end(with error: (any Error)?) {
    let ending = state.withLock { $0.ending.take() }
    ending?(error)
  }
}

// MARK: - Time

extension LoadContext {
  /// The deadline of the load on its clock; `nil` for no limit.
  var deadline: Duration? { state.withLock { $0.deadline } }

  /// The deadline of its exchanges; `nil` if several loads share them, each of which has its own.
  ///
  /// A load without a limit needs no timer of its own, because its exchanges have one.
  var exchangeDeadline: Duration? {
    guard let deadline else { return start + ExchangeLimits.defaultTimeout }
    return isShared ? nil : deadline
  }

  /// The remaining time.
  var remaining: Duration? { deadline.map { $0 - clock.now() } }

  /// Extends the deadline, if there is one and the other one is later or `nil`.
  func extend(to deadline: Duration?) {
    state.withLock { state in
      guard let own = state.deadline else { return }
      state.deadline = deadline.map { max(own, $0) }
    }
  }
}

// MARK: - Errors

extension LoadContext {
  /// The error context, with that of the context that is followed.
  private var errorContext: ErrorContext {
    var (known, followed) = state.withLock { ($0.errorContext, $0.followed) }
    if let followed { known.absorb(followed.errorContext) }
    return known
  }

  /// The identity of the last request that wasn't the result of a redirect; `nil` if nothing was
  /// sent.
  var lastIdentity: RequestIdentity? { state.withLock { $0.errorContext.lastIdentity } }

  /// The number of exchanges that have begun.
  var exchangeCount: Int { state.withLock { $0.errorContext.exchangeCount } }

  /// Changes the error context.
  func note(_ change: (inout ErrorContext) -> Void) {
    state.withLock { change(&$0.errorContext) }
  }

  /// Returns the reason for which the load ended, if an error says no more than that it has.
  func cause(of error: any Error) -> any Error {
    error is CancellationError ? termination.withLock { $0.reason } ?? error : error
  }

  /// Returns the error to throw, with as many details as can be collected until the deadline. There
  /// is always a tenth of a second, because the load may have ended at its deadline.
  func explain(_ error: any Error) -> any Error {
    let cause = cause(of: error)
    let end = deadline.map { max($0, clock.now()) + .milliseconds(100) }
    return errorContext.explain(cause) { [clock] in
      end.map { clock.now() > $0 } ?? false
    }
  }
}

// MARK: - Events

extension LoadContext {
  /// Whether there is an observer of events.
  var isObserved: Bool { observer != nil }

  /// Reports an event to the observer, if there is one.
  // Not inlined: otherwise every asynchronous function that reports an event would keep memory for
  // one while it waits.
  @inline(never)
  func report(_ what: @autoclosure () -> LoadEvent.Kind) {
    guard let observer else { return }
    observer(LoadEvent(load: id, elapsed: clock.now() - start, kind: what(), trace: trace))
  }
}

/// The number of bytes that the bodies of all loads of a client may take in memory.
final class MemoryBudget: Sendable {
  let limit: Int
  private let used = Mutex(0)

  init(_ limit: Int) { self.limit = limit }

  /// Takes some bytes. Returns `false` if there aren't so many left.
  func take(_ count: Int) -> Bool {
    used.withLock { used in
      guard count <= limit - used else { return false }
      used += count
      return true
    }
  }

  func giveBack(_ count: Int) { used.withLock { $0 -= count } }
}
