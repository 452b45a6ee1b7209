/// The rules of a promise as a value: every method changes the state and returns what is to be done.
///
/// Nothing here calls out, and nothing here is freed that runs a user's code when it goes: it is
/// returned instead, and goes when the lock is open again.
struct Machine: ~Copyable, Sendable {
  private(set) var outcome: Outcome?
  var handlers = Handlers.none
  private var parents = Parents.none
  /// Numbers the handlers. At one a nanosecond it would last for 584 years.
  private var lastTicket: UInt64 = 0
  private var cancelHooks: [@Sendable () -> Void] = []
  private(set) var reporter: Reporter?
  /// Whether only its parent, or a cancel, can settle the promise.
  private var isBound = false
  private var isCancelled = false
  /// Whether somebody has asked for the outcome.
  var isObserved = false

  init(_ outcome: Outcome?) {
    self.outcome = outcome
  }

  var isSettled: Bool { outcome != nil }
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

/// What is to be done, and to be freed, after a promise was settled.
struct Settlement: ~Copyable, Sendable {
  var ready: Ready
  let outcome: Outcome
  let parents: Parents
  let cancelHooks: [@Sendable () -> Void]
  let cause: Cause
}

extension Machine {
  /// Settles the promise.
  ///
  /// - Returns: What is to be done; `nil` if the promise was settled before, or bound and this
  ///   doesn't come from its parent.
  mutating func settle(_ outcome: Outcome, _ cause: Cause) -> Settlement? {
    guard self.outcome == nil, !isBound || cause != .resolution else { return nil }
    self.outcome = outcome
    isCancelled = cause == .cancellation
    return Settlement(
      ready: handlers.open(), outcome: outcome, parents: exchange(&parents, with: .none),
      cancelHooks: exchange(&cancelHooks, with: []), cause: cause)
  }

  /// Binds the promise to another one, once, which alone can settle it from then on.
  ///
  /// - Returns: Whether it was free to be bound.
  mutating func bind() -> Bool {
    guard outcome == nil, !isBound else { return false }
    isBound = true
    return true
  }

  /// Sets those whom the promise is to leave when it is cancelled.
  ///
  /// - Parameter new: They get what is to be freed instead.
  /// - Returns: Whether the promise is pending. If not, they are still to be left.
  mutating func attach(_ new: inout Parents) -> Bool {
    guard outcome == nil else { return false }
    swap(&parents, &new)
    return true
  }

  var allParents: Parents { parents }
}

extension Machine {
  /// What comes of adding a handler.
  enum Admission: Sendable {
    /// It waits for the promise to be settled, under this number.
    case waits(ticket: UInt64)
    /// It waits for handlers of the settled promise that came before.
    case isQueued
    /// It starts now.
    case starts(Handler, Outcome)
  }

  mutating func add(
    on executor: (any PromiseExecutor)?, _ interest: Interest, _ body: Handler.Body?
  ) -> Admission {
    isObserved = true
    lastTicket &+= 1
    let handler = Handler(executor, interest, ticket: lastTicket, body)
    guard let outcome else {
      handlers.append(handler)
      return .waits(ticket: lastTicket)
    }
    return handlers.enter(handler) ? .starts(handler, outcome) : .isQueued
  }

  /// Gives a handler that was added without one its closure.
  ///
  /// - Returns: `false` if the handler isn't there: it has left, or the promise is settled.
  mutating func fill(_ ticket: UInt64, with body: @escaping Handler.Body) -> Bool {
    outcome == nil && handlers.fill(ticket, with: body)
  }

  /// Ends the turn of a handler of the settled promise.
  ///
  /// - Returns: The next one on that executor.
  mutating func advance(on executor: (any PromiseExecutor)?) -> Handler? {
    handlers.advance(on: executor)
  }
}

extension Machine {
  /// What the departure of one of those who wait leads to.
  struct Departure: ~Copyable, Sendable {
    /// The handler that has left, if it was there.
    var handler: Handler?
    /// What is to be done if it was the last one: the promise has been cancelled.
    var settlement: Settlement?
  }

  /// Lets one of those who wait go, and cancels the promise after the last.
  mutating func leave(_ ticket: UInt64) -> Departure {
    guard outcome == nil, let handler = handlers.leave(ticket) else { return Departure() }
    let settlement = handler.interest == .shielded ? nil : cancelIfUnwanted()
    return Departure(handler: handler, settlement: settlement)
  }

  /// Cancels the promise if it is pending and nobody waits for it.
  mutating func cancelIfUnwanted() -> Settlement? {
    handlers.hasInterest ? nil : settle(.failure(CancellationError()), .cancellation)
  }

  /// Adds what is called when the promise is cancelled.
  ///
  /// - Returns: Whether it is to be called at once, because that has happened.
  mutating func addCancelHook(_ hook: @escaping @Sendable () -> Void) -> Bool {
    if outcome == nil { cancelHooks.append(hook) }
    return isCancelled
  }
}

/// Who is told of a rejection that nobody has seen, for a promise and those derived from it.
typealias Reporter = @Sendable (any Error) -> Void

extension Machine {
  /// Sets the reporter.
  ///
  /// - Parameter new: It gets the former one, to be freed.
  mutating func setReporter(_ new: inout Reporter?) {
    swap(&reporter, &new)
  }

  /// Returns the outcome to somebody who asks for it.
  mutating func observeOutcome() -> Outcome? {
    if outcome != nil { isObserved = true }
    return outcome
  }

  /// The error that nobody has seen, and who is to be told of it.
  var unreportedRejection: (report: Reporter, error: any Error)? {
    guard let reporter, !isObserved, let error = outcome?.failure, !(error is CancellationError)
    else { return nil }
    return (reporter, error)
  }
}
