import Foundation
import ResourcePrimitives
import Synchronization

/// The state of one load in the middleware: its identity, its time, the details for its error, its
/// share of the client's memory, and its task.
final class LoadContext: Sendable {
  let identity: LoadIdentity
  /// The time limit at its beginning; `nil` for none.
  let timeout: Duration?
  /// The destination of the body; `nil` for memory.
  let destination: (any BodyDestination)?
  /// Reports the progress of the bodies.
  let progress: ProgressReporter?
  /// Called with each interim head, and the URL of its request; `nil` if they aren't needed.
  let interim: Interim?
  /// The number of times that the client's cookies had been removed when the load began; `nil`
  /// without a jar.
  let cookieRemovals: Int?
  let memory: MemoryShare
  /// The names of secrets that the request adds to the library's.
  private let secretNames: Set<String>?
  let work = Mutex(LoadWork())
  private let state: Mutex<State>

  typealias Interim = @Sendable (ResponseHead, URL) -> Void

  private struct State {
    var errorContext: ErrorContext
    var deadline: Duration?
    /// The exchange that works on behalf of this load.
    var followed: LoadContext?
    var trace: LoadEvent.Trace?
    /// The trace of the load that sent the request for this one.
    var sharedTrace: LoadEvent.Trace?
    /// Called at the end of the load.
    var ending: (@Sendable ((any Error)?) -> Void)?
  }

  init(
    _ request: Request, _ identity: LoadIdentity = LoadIdentity(), timeout: Duration?,
    destination: (any BodyDestination)? = nil, progress: ProgressReporter? = nil,
    interim: Interim? = nil, memory: MemoryBudget? = nil, cookieRemovals: Int? = nil
  ) {
    self.identity = identity
    self.timeout = timeout
    self.destination = destination
    self.progress = progress
    self.interim = interim
    self.cookieRemovals = cookieRemovals
    self.memory = MemoryShare(of: memory)
    secretNames = request.options.secretNames
    state = Mutex(
      State(
        errorContext: ErrorContext(request),
        deadline: timeout.map { identity.clock.now() + $0.countable }))
  }
}

extension LoadContext {
  /// Returns a context for work that continues after this load. It has a time limit of its own, and
  /// its events have this load's number.
  func continued(with request: Request) -> LoadContext {
    let context = LoadContext(
      request, identity, timeout: request.options.timeout, memory: memory.budget,
      cookieRemovals: cookieRemovals)
    context.trace = trace
    return context
  }

  /// Returns the context of a load that other loads may share with this one. It begins with this
  /// load's deadline. `observer` receives the events if this load has one.
  func shared(
    for request: Request, progress: ProgressReporter,
    observer: @escaping @Sendable (LoadEvent) -> Void
  ) -> LoadContext {
    let context = LoadContext(
      request, LoadIdentity(sharedBy: identity, observer: observer), timeout: nil,
      progress: progress, memory: memory.budget, cookieRemovals: cookieRemovals)
    context.state.withLock { [deadline, trace] in ($0.deadline, $0.trace) = (deadline, trace) }
    return context
  }

  /// Returns a context for one of several exchanges of this load, with its deadline and its events.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - destination: The destination of the response's body; `nil` for memory.
  ///   - progress: Reports the progress of the bodies.
  ///   - interim: Called with each interim head.
  func part(
    for request: Request, into destination: (any BodyDestination)?,
    progress: ProgressReporter? = nil, interim: Interim? = nil
  ) -> LoadContext {
    let context = LoadContext(
      request, identity, timeout: nil, destination: destination, progress: progress,
      interim: interim, memory: memory.budget, cookieRemovals: cookieRemovals)
    context.state.withLock { [deadline, trace] in ($0.deadline, $0.trace) = (deadline, trace) }
    return context
  }

  /// Adds the exchanges of a part to the evidence for this load's error, and its memory to that of
  /// this load.
  func adopt(_ part: LoadContext) {
    guard part !== self else { return }
    let known = part.errorContext
    note { $0.absorb(known) }
    memory.adopt(part.memory)
  }

  /// Follows a context that works on behalf of this load, so that its exchanges are part of this
  /// load's error.
  func follow(_ other: LoadContext) {
    state.withLock { $0.followed = other }
  }

  /// Stops following. `keepingExchanges` decides whether the exchanges so far remain part of this
  /// load's error.
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

extension LoadContext {
  /// The trace that the load is a part of; `nil` for none.
  var trace: LoadEvent.Trace? {
    get { state.withLock { $0.trace } }
    set { state.withLock { $0.trace = newValue } }
  }

  /// The trace of the load whose response this one shared.
  var sharedTrace: LoadEvent.Trace? { state.withLock { $0.sharedTrace } }
}

extension LoadContext {
  /// Adds a closure that is called at the end of the load, with its error.
  func atEnd(_ body: @escaping @Sendable ((any Error)?) -> Void) {
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
  }

  /// Completes the load: calls the closures of ``atEnd(_:)`` and releases its memory.
  func complete(with error: (any Error)?) {
    let ending = state.withLock { $0.ending.take() }
    ending?(error)
    memory.giveBack()
  }
}

extension LoadContext {
  var clock: LoadClock { identity.clock }

  /// The deadline of the load on its clock; `nil` for no limit.
  var deadline: Duration? { state.withLock { $0.deadline } }

  var remaining: Duration? { deadline.map { $0 - clock.now() } }

  /// Extends the deadline, if there is one and the other one is later or `nil`.
  func extend(to deadline: Duration?) {
    state.withLock { state in
      guard let own = state.deadline else { return }
      state.deadline = deadline.map { max(own, $0) }
    }
  }
}

extension LoadContext {
  /// The error context, including that of the followed context.
  var errorContext: ErrorContext {
    var (known, followed) = state.withLock { ($0.errorContext, $0.followed) }
    if let followed { known.absorb(followed.errorContext) }
    return known
  }

  var lastIdentity: RequestIdentity? { state.withLock { $0.errorContext.lastIdentity } }

  var exchangeCount: Int { state.withLock { $0.errorContext.exchangeCount } }

  /// Adds the secrets of the load's request and of all that was sent for it.
  func noteSecrets(in redactor: inout Redactor) { errorContext.noteSecrets(in: &redactor) }

  func note(_ change: (inout ErrorContext) -> Void) {
    state.withLock { change(&$0.errorContext) }
  }

  /// Returns the reason for the end of the load, if the error is only a cancellation.
  func cause(of error: any Error) -> any Error {
    error is CancellationError ? work.withLock(\.reason) ?? error : error
  }

  /// Returns the error to throw, with as many details as it can collect before the deadline. It
  /// always has a tenth of a second, because the load may have ended at its deadline.
  func explain(_ error: any Error) -> any Error {
    let cause = cause(of: error)
    let end = deadline.map { max($0, clock.now()) + .milliseconds(100) }
    return errorContext.explain(cause) { [clock] in
      end.map { clock.now() > $0 } ?? false
    }
  }
}

extension LoadContext {
  var isObserved: Bool { identity.observer != nil }

  /// Reports an event to the observer, if there is one.
  // Not inlined: otherwise every asynchronous function that reports an event would keep memory for
  // one while it waits.
  @inline(never)
  func report(_ what: @autoclosure () -> LoadEvent.Kind) {
    guard let observer = identity.observer else { return }
    var event = LoadEvent(
      load: identity.id, elapsed: clock.now() - identity.start, kind: what(), trace: trace,
      secretNames: secretNames)
    if case .coalesced = event.kind { event.sharedLoad = followedLoad }
    observer(event)
  }

  /// The number of the load that began the exchange which works on behalf of this one.
  private var followedLoad: UInt64? {
    let followed = state.withLock { $0.followed?.identity.id }
    return followed == identity.id ? nil : followed
  }
}
