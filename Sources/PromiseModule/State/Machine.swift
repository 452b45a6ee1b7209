/// The rules of a promise as a value: every method changes the state and returns what is to be done.
///
/// No method calls out, and none frees anything of a user's: that is returned instead, and goes when
/// the lock is open again.
struct Machine: ~Copyable {
  private enum Phase {
    case pending(Parents)
    case settled(Outcome)
  }

  private var phase: Phase
  /// While the promise is pending, the handler that was added first. When it is settled, what stands
  /// for the handler that runs, or for one of several.
  private var first: Handler?
  /// Whether only its parent, or a cancel, can settle the promise.
  private var isBound = false
  private var isCancelled = false
  /// Whether somebody has asked for the outcome.
  private var isObserved = false
  /// How many of those who wait haven't left.
  private var interested = 0
  private var extras: Extras?

  init(waitingFor parents: Parents) {
    phase = .pending(parents)
  }

  init(_ outcome: Outcome) {
    phase = .settled(outcome)
  }

  /// Reports a rejection that nobody can see any more. The promise is gone, so no lock is held.
  deinit {
    guard let report = extras?.reporter, !isObserved, case .settled(.rejected(let error)) = phase,
      !(error is CancellationError)
    else { return }
    report(error)
  }

  /// The number of a promise's first handler, and of no other.
  static let firstTicket: UInt64 = 0
}

/// Is told of a rejection that nobody has seen, of a promise and of those derived from it.
typealias Reporter = @Sendable (any Error) -> Void

/// Is called when a promise is cancelled, or doesn't need its parents any more.
@usableFromInline typealias CancelHook = @Sendable (inout Worklist) -> Void

/// What few promises have.
private final class Extras {
  /// The handlers of the pending promise but the first, by their numbers.
  var handlers: [UInt64: Held<Handler>] = [:]
  /// Numbers the handlers. At one a nanosecond it would last for 584 years.
  var lastTicket = Machine.firstTicket
  /// What runs, and what waits for it, while several handlers of the settled promise want to run.
  var queues: [HandlerQueue] = []
  var cancelHooks: [CancelHook] = []
  var reporter: Reporter?
}

/// The handlers of a settled promise that wait for the one that runs on their executor.
private final class HandlerQueue {
  let executor: (any PromiseExecutor)?
  var waiting = Queue<Handler>()

  init(executor: (any PromiseExecutor)?) {
    self.executor = executor
  }
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

  /// Whether anybody waits, or has waited, for the pending promise.
  var hasHandlers: Bool { isPending && first != nil }

  /// Returns the outcome to somebody who asks for it.
  mutating func observe() -> Outcome? {
    if !isPending { isObserved = true }
    return outcome
  }

  mutating func markObserved() { isObserved = true }

  var reporter: Reporter? { extras?.reporter }

  /// Sets the reporter.
  ///
  /// - Parameter new: It gets the former one, to be freed.
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

// MARK: Settling

/// What is to be done, and to be freed, after a promise was settled.
struct Settlement: ~Copyable, Sendable {
  let outcome: Outcome
  let cause: Cause
  let parents: Parents
  /// The handler that was added first, which may start.
  var first: Handler?
  /// The other executors on which a handler waits to be started.
  var executors: [(any PromiseExecutor)?] = []
  var cancelHooks: [CancelHook] = []
}

extension Machine {
  /// Settles the promise.
  ///
  /// - Returns: What is to be done; `nil` if the promise was settled before, or bound and this
  ///   doesn't come from its parent.
  mutating func settle(_ outcome: Outcome, _ cause: Cause) -> Settlement? {
    guard isPending, !isBound || cause != .resolution,
      case .pending(let parents) = exchange(&phase, with: .settled(outcome))
    else { return nil }
    isCancelled = cause == .cancellation
    var settlement = Settlement(outcome: outcome, cause: cause, parents: parents)
    if let handler = first.take() { settlement.first = enter(handler) }
    guard let extras else { return settlement }
    settlement.cancelHooks = exchange(&extras.cancelHooks, with: [])
    for (_, held) in exchange(&extras.handlers, with: [:]).sorted(by: { $0.key < $1.key }) {
      let executor = held.element?.executor
      if held.element?.body != nil, let handler = held.element.take(), queue(handler, on: executor)
      {
        settlement.executors.append(executor)
      }
    }
    return settlement
  }

  /// Cancels the promise if it is pending and nobody waits for it.
  mutating func cancelIfUnwanted() -> Settlement? {
    interested > 0 ? nil : settle(.rejected(CancellationError()), .cancellation)
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
  mutating func addCancelHook(_ hook: @escaping CancelHook) -> Bool {
    if isPending { makeExtras().cancelHooks.append(hook) }
    return isCancelled
  }
}

// MARK: Handlers of a pending promise

/// What becomes of a handler that is added.
enum Admission: Sendable {
  /// It waits for the promise, under this number.
  case waits(UInt64)
  /// The promise is settled, and the handler may start.
  case starts(Outcome)
  /// The promise is settled, and another handler runs on that executor.
  case isQueued
}

extension Machine {
  /// Takes a handler, unless it may start now.
  mutating func add(_ handler: inout Handler?) -> Admission {
    isObserved = true
    if let outcome {
      if let late = handler.take() { handler = enter(late) }
      return handler == nil ? .isQueued : .starts(outcome)
    }
    interested += 1
    if first == nil {
      swap(&first, &handler)
      return .waits(Machine.firstTicket)
    }
    let extras = makeExtras()
    extras.lastTicket += 1
    if let handler = handler.take() { extras.handlers[extras.lastTicket] = Held(handler) }
    return .waits(extras.lastTicket)
  }

  /// Gives a handler that was added without one its body.
  ///
  /// - Returns: `false` if the handler isn't there: it has left, or the promise is settled.
  mutating func fill(_ ticket: UInt64, with body: @escaping Handler.Body) -> Bool {
    guard isPending else { return false }
    if ticket == Machine.firstTicket { return first?.fill(with: body) == true }
    return extras?.handlers[ticket]?.element?.fill(with: body) == true
  }

  /// Lets one of those who wait go, and cancels the promise after the last.
  ///
  /// - Parameter left: Gets the handler that has left, if it was there.
  mutating func leave(_ ticket: UInt64, taking left: inout Handler?) -> Settlement? {
    guard isPending, let handler = takeLeaving(ticket) else { return nil }
    let isShielded = handler.interest == .shielded
    left = consume handler
    interested -= 1
    return isShielded ? nil : cancelIfUnwanted()
  }

  private mutating func takeLeaving(_ ticket: UInt64) -> Handler? {
    // Its place stays taken, so that its number is given to nobody else.
    if ticket == Machine.firstTicket { return first?.leave() }
    guard let held = extras?.handlers[ticket] else { return nil }
    let handler = held.element?.leave()
    if held.element?.body == nil { extras?.handlers[ticket] = nil }
    return handler
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
    if handler.body == nil { return nil }
    let executor = handler.executor
    if first == nil {
      first = Handler(nil, on: executor, nil)
      return handler
    }
    return queue(handler, on: executor) ? extras?.queues.last?.waiting.popFirst() : nil
  }

  /// - Returns: Whether none runs on its executor, so that it is to be started.
  private mutating func queue(
    _ handler: consuming Handler, on executor: (any PromiseExecutor)?
  ) -> Bool {
    // The executor comes by itself: read off a handler that is then consumed, it leaks in a release build (Swift 6.3).
    let extras = makeExtras()
    if first == nil {
      first = Handler(nil, on: executor, nil)
    } else if extras.queues.isEmpty {
      extras.queues = [HandlerQueue(executor: first?.executor)]
    }
    if let queue = extras.queues.first(where: { $0.executor === executor }) {
      queue.waiting.append(handler)
      return false
    }
    let queue = HandlerQueue(executor: executor)
    queue.waiting.append(handler)
    extras.queues.append(queue)
    return true
  }

  /// Ends the turn of the handler that ran on an executor.
  ///
  /// - Parameter former: Gets what is to be freed.
  /// - Returns: The next one on that executor.
  mutating func advance(
    on executor: (any PromiseExecutor)?, freeing former: inout Handler?
  ) -> Handler? {
    if let extras, let index = extras.queues.firstIndex(where: { $0.executor === executor }) {
      if let next = extras.queues[index].waiting.popFirst() { return next }
      extras.queues.remove(at: index)
      if !extras.queues.isEmpty { return nil }
    }
    swap(&first, &former)
    return nil
  }
}
