/// The state of a promise as a value. Every method changes it and returns what the caller has to
/// do.
///
/// No method calls out or frees a user's object. Such objects are returned, so that they are freed
/// after the lock has been released.
struct Machine: ~Copyable {
  private enum Phase {
    case pending(Parents)
    case settled(Outcome)
  }

  private var phase: Phase
  /// The handler of the pending promise that was added first.
  private var first: Handler?
  /// Whether only its parent, or a cancel, can settle the promise.
  private var isBound = false
  private var isCancelled = false
  private var isObserved = false
  /// The number of handlers that haven't left.
  private var interested: UInt32 = 0
  /// The executor of the running handler of the settled promise. If several run, they are in
  /// ``Extras/queues``.
  private var running: ObjectIdentifier?
  private var extras: Extras?

  init(waitingFor parents: Parents) {
    phase = .pending(parents)
  }

  init(_ outcome: Outcome) {
    phase = .settled(outcome)
  }

  /// Reports a rejection that nothing has observed. The promise is gone, so no lock is held.
  deinit {
    guard let report = extras?.reporter, !isObserved, case .settled(.rejected(let error)) = phase,
      !(error is CancellationError)
    else { return }
    report(error)
  }

  /// The number of a promise's first handler, and of no other.
  static let firstTicket: UInt64 = 0
}

/// A closure that is called with the error of a rejection that nothing has observed.
typealias Reporter = @Sendable (any Error) -> Void

/// The state that only few promises need.
private final class Extras {
  /// The handlers of the pending promise but the first, by their numbers.
  var handlers: [UInt64: Handler] = [:]
  var lastTicket = Machine.firstTicket
  /// A queue for each executor, while several handlers of the settled promise are ready.
  var queues: [HandlerQueue] = []
  /// Closures that are called when the promise is cancelled or no longer needs its parents.
  var cancelHooks: [Event] = []
  var reporter: Reporter?
}

/// The handlers of a settled promise that wait for the one that runs on their executor.
private struct HandlerQueue {
  /// The identity of the executor, which stays alive while a handler runs on it.
  let executor: ObjectIdentifier
  var waiting = Queue<Handler>()
}

extension Machine {
  var outcome: Outcome? {
    if case .settled(let outcome) = phase { outcome } else { nil }
  }

  var isPending: Bool {
    if case .pending = phase { true } else { false }
  }

  var parents: Parents {
    if case .pending(let parents) = phase { parents } else { .none }
  }

  /// Whether anything has waited for the pending promise.
  var hasHandlers: Bool { isPending && first != nil }

  /// Returns the outcome, and marks it as observed.
  mutating func observe() -> Outcome? {
    if !isPending { isObserved = true }
    return outcome
  }

  mutating func markObserved() { isObserved = true }

  var reporter: Reporter? { extras?.reporter }

  /// Sets the reporter, and `new` to the former one, for the caller to free.
  mutating func setReporter(_ new: inout Reporter?) {
    swap(&makeExtras().reporter, &new)
  }

  private mutating func makeExtras() -> Extras {
    if let extras { return extras }
    let made = Extras()
    extras = made
    return made
  }
}

/// What the caller has to do and free after a promise has been settled.
struct Settlement: ~Copyable, Sendable {
  let outcome: Outcome
  let cause: Cause
  let parents: Parents
  /// The handlers that start, one for each executor.
  var handlers = Queue<Handler>()
  var cancelHooks: [Event] = []
}

extension Machine {
  /// Settles the promise, and returns what the caller has to do; `nil` if it was settled before, or
  /// is bound and `cause` is a resolution.
  mutating func settle(_ outcome: Outcome, _ cause: Cause) -> Settlement? {
    guard isPending, !isBound || cause != .resolution,
      case .pending(let parents) = exchange(&phase, with: .settled(outcome))
    else { return nil }
    isCancelled = cause == .cancellation
    var settlement = Settlement(outcome: outcome, cause: cause, parents: parents)
    if let handler = first.take(), starts(handler) { settlement.handlers.append(handler) }
    guard let extras else { return settlement }
    settlement.cancelHooks = exchange(&extras.cancelHooks, with: [])
    for (_, handler) in exchange(&extras.handlers, with: [:]).sorted(by: { $0.key < $1.key })
    where starts(handler) {
      settlement.handlers.append(handler)
    }
    return settlement
  }

  /// Cancels the promise if it is pending and nothing waits for it.
  mutating func cancelIfUnwanted() -> Settlement? {
    interested > 0 ? nil : settle(.rejected(CancellationError()), .cancellation)
  }

  /// Binds the promise to another one, after which only that one or a cancel can settle it. Returns
  /// whether it was free to be bound.
  mutating func bind() -> Bool {
    guard isPending, !isBound else { return false }
    isBound = true
    return true
  }

  /// Sets the parents that the promise leaves when it is cancelled, and `new` to the former ones,
  /// for the caller to free. If it returns `false`, the caller has to leave the parents.
  mutating func attach(_ new: inout Parents) -> Bool {
    guard case .pending(let old) = phase else { return false }
    phase = .pending(exchange(&new, with: old))
    return true
  }

  /// Adds a closure that is called when the promise is cancelled. If it returns `true`, the promise
  /// has already been cancelled, and the caller has to call it.
  mutating func addCancelHook(_ hook: @escaping Event) -> Bool {
    if isPending { makeExtras().cancelHooks.append(hook) }
    return isCancelled
  }
}

/// The result of adding a handler.
@usableFromInline
enum Admission: Sendable {
  /// The handler waits, and has this number.
  case pending(UInt64)
  /// The promise is settled. The handler starts unless another one is running on its executor.
  case settled(Outcome, starts: Bool)
}

extension Machine {
  /// Stores a handler, unless the promise is settled and the handler may start now.
  mutating func add(_ handler: Handler) -> Admission {
    isObserved = true
    if let outcome { return .settled(outcome, starts: starts(handler)) }
    interested += 1
    if first == nil {
      first = handler
      return .pending(Machine.firstTicket)
    }
    let extras = makeExtras()
    extras.lastTicket += 1
    extras.handlers[extras.lastTicket] = handler
    return .pending(extras.lastTicket)
  }

  /// Stores a handler, unless the promise is settled.
  mutating func addIfPending(_ handler: Handler) -> Admission {
    if let outcome = observe() { return .settled(outcome, starts: false) }
    return add(handler)
  }

  /// Gives a handler that was added without one its body; returns `false` if it has left, or the
  /// promise is settled.
  mutating func fill(_ ticket: UInt64, with body: @escaping Handler.Body) -> Bool {
    guard isPending else { return false }
    if ticket == Machine.firstTicket { return first?.fill(with: body) == true }
    return extras?.handlers[ticket]?.fill(with: body) == true
  }

  /// Removes a handler and stores it in `left`, and cancels the promise if no other handler waits.
  mutating func leave(_ ticket: UInt64, taking left: inout Handler?) -> Settlement? {
    guard isPending, let handler = takeLeaving(ticket) else { return nil }
    let isShielded = handler.interest == .shielded
    left = consume handler
    interested -= 1
    return isShielded ? nil : cancelIfUnwanted()
  }

  private mutating func takeLeaving(_ ticket: UInt64) -> Handler? {
    // The slot isn't emptied, so that no other handler gets the first number.
    if ticket == Machine.firstTicket { return first?.leave() }
    let handler = extras?.handlers[ticket]?.leave()
    if extras?.handlers[ticket]?.body == nil { extras?.handlers[ticket] = nil }
    return handler
  }
}

// At most one handler of the promise runs on each executor. Later ones on that executor wait their
// turn, including those added after the promise was settled.

extension Machine {
  /// Returns whether a handler of the settled promise starts. If not, it has been queued behind
  /// another one on its executor, or has left.
  private mutating func starts(_ handler: Handler) -> Bool {
    if handler.body == nil { return false }
    let own = handler.executor.id
    guard let running else {
      self.running = own
      return true
    }
    let extras = makeExtras()
    if extras.queues.isEmpty { extras.queues = [HandlerQueue(executor: running)] }
    if let index = extras.queues.firstIndex(where: { $0.executor == own }) {
      extras.queues[index].waiting.append(handler)
      return false
    }
    extras.queues.append(HandlerQueue(executor: own))
    return true
  }

  /// Ends the turn of the handler that ran on an executor, and returns the next one there.
  mutating func advance(on executor: ObjectIdentifier) -> Handler? {
    if let extras, let index = extras.queues.firstIndex(where: { $0.executor == executor }) {
      if let next = extras.queues[index].waiting.popFirst() { return next }
      extras.queues.remove(at: index)
      if !extras.queues.isEmpty { return nil }
    }
    running = nil
    return nil
  }
}
