/// How a promise is settled. A value lies in the promise itself, which knows its type.
@usableFromInline
enum Outcome: Sendable {
  case fulfilled
  case rejected(any Error)
}

/// Why a promise is settled.
@usableFromInline
enum Cause: Sendable {
  /// A resolver says so, or the work behind the promise. It has no say once the promise is bound.
  case resolution
  /// All parents that are needed have settled.
  case parents
  /// One parent has decided it; the others aren't needed any more.
  case oneParent
  /// Nobody is interested.
  case cancellation
  /// It would wait for itself.
  case cycle

  /// Whether there may be pending parents, which are to be left. Those of a cycle learn its end by it.
  var leavesParents: Bool { self == .oneParent || self == .cancellation }
}

/// Who is told of a rejection that nobody has seen, for a promise and those derived from it.
typealias Reporter = @Sendable (any Error) -> Void

/// The rules of a promise as a value: every method changes the state and returns what is to be done.
///
/// Nothing here calls out, and nothing here is freed that runs a user's code when it goes: it is
/// returned instead, and goes when the lock is open again.
struct Machine: ~Copyable {
  private enum Phase {
    case pending(Parents)
    case settled(Outcome)
  }

  private var phase: Phase
  /// While the promise is pending, the handler that was added first. When it is settled, the one that
  /// runs, or one of several, without its body.
  private var first: Handler?
  private var extras: Extras?
  /// Whether only its parent, or a cancel, can settle the promise.
  private var isBound = false
  private var isCancelled = false
  /// Whether somebody has asked for the outcome.
  private var isObserved = false

  init(waitingFor parents: Parents) {
    phase = .pending(parents)
  }

  init(_ outcome: Outcome) {
    phase = .settled(outcome)
  }

  /// The number of a promise's first handler, and of no other.
  static let firstTicket: UInt64 = 0
}

/// What few promises have.
private final class Extras {
  /// The handlers of the pending promise but the first.
  var handlers = HandlerList()
  /// The handlers of the settled promise that wait for others, while more than one wants to run.
  var queues: [HandlerQueue] = []
  var cancelHooks: [@Sendable () -> Void] = []
  var reporter: Reporter?
}

extension Machine {
  private mutating func makeExtras() -> Extras {
    if let extras { return extras }
    let made = Extras()
    extras = made
    return made
  }

  var outcome: Outcome? {
    if case .settled(let outcome) = phase { outcome } else { nil }
  }

  var isPending: Bool {
    if case .pending = phase { true } else { false }
  }

  var parents: Parents {
    if case .pending(let parents) = phase { parents } else { .none }
  }

  /// Whether the promise is pending and nobody has ever waited for it.
  var isUnused: Bool { isPending && first == nil }

  /// Whether anybody waits for the pending promise.
  var hasHandlers: Bool { isPending && first != nil }

  /// Returns the outcome to somebody who asks for it.
  mutating func observe() -> Outcome? {
    if !isPending { isObserved = true }
    return outcome
  }

  mutating func markObserved() { isObserved = true }
}

// MARK: Settling

/// What is to be done, and to be freed, after a promise was settled.
struct Settlement: ~Copyable, Sendable {
  let cause: Cause
  let parents: Parents
  /// The handlers that may start: the first one of each executor.
  var first: Handler?
  var others: [HandlerList.Entry]?
  var cancelHooks: [@Sendable () -> Void]?
}

extension Machine {
  /// Settles the promise.
  ///
  /// - Returns: What is to be done; `nil` if the promise was settled before, or bound and this
  ///   doesn't come from its parent.
  mutating func settle(_ outcome: Outcome, _ cause: Cause) -> Settlement? {
    guard isPending, !isBound || cause != .resolution else { return nil }
    isCancelled = cause == .cancellation
    guard case .pending(let parents) = exchange(&phase, with: .settled(outcome)) else { return nil }
    var settlement = Settlement(cause: cause, parents: parents)
    swap(&first, &settlement.first)
    first = settlement.first?.placeholder
    if let extras {
      settlement.cancelHooks = exchange(&extras.cancelHooks, with: [])
      settlement.others = extras.handlers.takeAll().filter {
        $0.body != nil && enter($0.handler) != nil
      }
    }
    return settlement
  }

  /// Binds the promise to another one, once, which alone can settle it from then on.
  ///
  /// - Returns: Whether it was free to be bound.
  mutating func bind() -> Bool {
    guard isPending, !isBound else { return false }
    isBound = true
    return true
  }

  /// Sets those whom the promise is to leave when it is cancelled.
  ///
  /// - Parameter new: They get what is to be freed instead.
  /// - Returns: Whether the promise is pending. If not, they are still to be left.
  mutating func attach(_ new: inout Parents) -> Bool {
    guard case .pending(let old) = phase else { return false }
    phase = .pending(exchange(&new, with: old))
    return true
  }

  /// Adds what is called when the promise is cancelled.
  ///
  /// - Returns: Whether it is to be called at once, because that has happened.
  mutating func addCancelHook(_ hook: @escaping @Sendable () -> Void) -> Bool {
    if isPending { makeExtras().cancelHooks.append(hook) }
    return isCancelled
  }
}

// MARK: Handlers of a pending promise

extension Machine {
  /// Takes a handler, unless the promise is settled and the handler can start now.
  ///
  /// - Returns: The number under which it waits for the promise; `nil` if the promise is settled.
  mutating func add(_ handler: inout Handler?) -> UInt64? {
    isObserved = true
    guard isPending else {
      if let late = handler.take() { handler = enter(late) }
      return nil
    }
    if first == nil {
      swap(&first, &handler)
      return Machine.firstTicket
    }
    guard let handler = handler.take() else { return nil }
    return makeExtras().handlers.append(handler)
  }

  /// Gives a handler that was added without one its body.
  ///
  /// - Returns: `false` if the handler isn't there: it has left, or the promise is settled.
  mutating func fill(_ ticket: UInt64, with body: @escaping Handler.Body) -> Bool {
    guard isPending else { return false }
    if ticket != Machine.firstTicket { return extras?.handlers.fill(ticket, with: body) == true }
    guard hasInterestedFirst else { return false }
    first?.body = body
    return true
  }

  /// What the departure of one of those who wait leads to.
  struct Departure: ~Copyable, Sendable {
    /// The handler that has left, if it was there.
    var handler: Handler?
    /// What is to be done if it was the last one: the promise has been cancelled.
    var settlement: Settlement?
  }

  /// Lets one of those who wait go, and cancels the promise after the last.
  mutating func leave(_ ticket: UInt64) -> Departure {
    guard isPending else { return Departure() }
    guard let handler = takeLeaving(ticket) else { return Departure() }
    let settlement = handler.interest == .shielded ? nil : cancelIfUnwanted()
    return Departure(handler: handler, settlement: settlement)
  }

  private mutating func takeLeaving(_ ticket: UInt64) -> Handler? {
    if ticket != Machine.firstTicket { return extras?.handlers.leave(ticket) }
    guard hasInterestedFirst else { return nil }
    return exchange(&first, with: first?.afterLeaving)
  }

  private var hasInterestedFirst: Bool {
    switch first {
    case .some(let handler): handler.interest != nil
    case .none: false
    }
  }

  /// Cancels the promise if it is pending and nobody waits for it.
  mutating func cancelIfUnwanted() -> Settlement? {
    if hasInterestedFirst { return nil }
    if let extras, extras.handlers.interested > 0 { return nil }
    return settle(.rejected(CancellationError()), .cancellation)
  }
}

// MARK: Handlers of a settled promise

// Each executor has at most one handler of the promise running; the others on that executor, late ones
// included, wait their turn.

extension Machine {
  /// Lets a handler of the settled promise start, or queues it behind those on its executor.
  ///
  /// - Returns: The handler, if it starts.
  private mutating func enter(_ handler: consuming Handler) -> Handler? {
    if first == nil {
      first = handler.placeholder
      return handler
    }
    let extras = makeExtras()
    if extras.queues.isEmpty { extras.queues = [HandlerQueue(executor: first?.executor)] }
    if let queue = extras.queues.first(where: { $0.executor === handler.executor }) {
      queue.waiting.append(handler)
      return nil
    }
    extras.queues.append(HandlerQueue(executor: handler.executor))
    return handler
  }

  /// Ends the turn of the handler that ran on an executor.
  ///
  /// - Returns: The next one on that executor.
  mutating func advance(on executor: (any PromiseExecutor)?) -> Handler? {
    if let extras, let index = extras.queues.firstIndex(where: { $0.executor === executor }) {
      if let next = extras.queues[index].waiting.popFirst() { return next }
      extras.queues.remove(at: index)
      if !extras.queues.isEmpty { return nil }
    }
    first = nil
    return nil
  }
}

// MARK: Unobserved rejections

extension Machine {
  var reporter: Reporter? { extras?.reporter }

  /// Sets the reporter.
  ///
  /// - Parameter new: It gets the former one, to be freed.
  mutating func setReporter(_ new: inout Reporter?) {
    swap(&makeExtras().reporter, &new)
  }

  /// The error that nobody has seen, and who is to be told of it.
  var unreportedRejection: (report: Reporter, error: any Error)? {
    guard let report = reporter, !isObserved, case .settled(.rejected(let error)) = phase,
      !(error is CancellationError)
    else { return nil }
    return (report, error)
  }
}
