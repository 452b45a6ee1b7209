import Synchronization

/// The state of a promise under its lock: decides there, and acts when the lock is open again.
///
/// It doesn't depend on the type of the value, so it is compiled once, and well.
@usableFromInline
struct Core: ~Copyable, Sendable {
  private let machine: Mutex<Machine>
  /// Whether the promise is settled, for those who need to know no more than that.
  private let isSettled: Atomic<Bool>
  /// Whether a rejection that nobody has seen is to be reported.
  private let isReporting = Atomic(false)

  /// Of a pending promise.
  ///
  /// - Parameter parent: The promise whose first handler is going to feed this one.
  @usableFromInline
  init(waitingFor parent: (any Parent)? = nil) {
    machine = Mutex(Machine(waitingFor: parent.map(Parents.first) ?? .none))
    isSettled = Atomic(false)
  }

  /// Of a promise that is settled from the start.
  @usableFromInline
  init(_ outcome: Outcome) {
    machine = Mutex(Machine(outcome))
    isSettled = Atomic(true)
  }

  /// Changes the state; nothing in the closure may call out, or free what a user has made.
  func locked<Answer: ~Copyable & Sendable>(_ body: (inout Machine) -> Answer) -> Answer {
    machine.withLock { body(&$0) }
  }
}

extension Core {
  @usableFromInline var isPending: Bool { !isSettled.load(ordering: .acquiring) }

  var parents: Parents { locked { $0.parents } }

  /// Returns the outcome to somebody who asks for it.
  @usableFromInline
  func observe() -> Outcome? { locked { $0.observe() } }

  @usableFromInline
  func markObserved() { locked { $0.markObserved() } }

  func setReporter(_ reporter: @escaping Reporter) {
    var reporter: Reporter? = reporter
    locked { $0.setReporter(&reporter) }
    isReporting.store(true, ordering: .releasing)
  }

  /// Reports a rejection that nobody can see any more.
  @usableFromInline
  func reportUnobserved() {
    guard isReporting.load(ordering: .acquiring) else { return }
    if let unreported = locked({ $0.unreportedRejection }) { unreported.report(unreported.error) }
  }
}

// MARK: Settling

extension Core {
  /// Settles from inside a drain: whatever gets ready joins its worklist.
  ///
  /// - Parameter store: Puts the value into the promise. It is called under the lock.
  /// - Returns: Whether this call settled it.
  @usableFromInline
  func settle(
    _ outcome: Outcome, _ cause: Cause, of owner: any AnyPromise, _ worklist: inout Worklist,
    storing store: () -> Void
  ) -> Bool {
    let settlement = locked { machine in
      let settlement = machine.settle(outcome, cause)
      if settlement != nil {
        store()
        isSettled.store(true, ordering: .releasing)
      }
      return settlement
    }
    guard let settlement else { return false }
    act(on: settlement, of: owner, &worklist)
    return true
  }

  /// Settles from outside: one hop for all that follows, or none if it is all inline.
  @usableFromInline
  func settle(
    _ outcome: Outcome, _ cause: Cause, of owner: any AnyPromise, storing store: () -> Void
  ) -> Bool {
    var worklist = Worklist()
    let settled = settle(outcome, cause, of: owner, &worklist, storing: store)
    worklist.drain()
    return settled
  }

  private func act(
    on settlement: consuming Settlement, of owner: any AnyPromise, _ worklist: inout Worklist
  ) {
    if settlement.cause == .cancellation {
      for stop in settlement.cancelHooks ?? [] { stop() }
    }
    if settlement.cause.leavesParents { worklist.depart(from: settlement.parents) }
    if let handler = settlement.first.take(), handler.body != nil {
      worklist.accept(Turn(handler, owner))
    }
    for entry in settlement.others ?? [] { worklist.accept(Turn(entry.handler, owner)) }
  }

  func leave(_ ticket: UInt64, of owner: any AnyPromise, _ worklist: inout Worklist) {
    var departure = locked { machine in
      let departure = machine.leave(ticket)
      if departure.settlement != nil { isSettled.store(true, ordering: .releasing) }
      return departure
    }
    if let handler = departure.handler.take(), handler.interest == .waiter {
      handler.body?(owner, &worklist)
    }
    if let settlement = departure.settlement.take() { act(on: settlement, of: owner, &worklist) }
  }

  func cancelIfUnwanted(_ owner: any AnyPromise, _ worklist: inout Worklist) {
    let settlement = locked { machine in
      let settlement = machine.cancelIfUnwanted()
      if settlement != nil { isSettled.store(true, ordering: .releasing) }
      return settlement
    }
    if let settlement { act(on: settlement, of: owner, &worklist) }
  }

  func onCancel(_ stop: @escaping @Sendable () -> Void) {
    if locked({ $0.addCancelHook(stop) }) { stop() }
  }
}

// MARK: Adding handlers

extension Core {
  /// Adds a handler inside a drain, whose worklist it joins if the promise is settled.
  ///
  /// - Returns: The number of the handler, if it waits for the promise.
  func add(
    _ handler: consuming Handler, of owner: any AnyPromise, _ worklist: inout Worklist
  ) -> UInt64? {
    var handler: Handler? = handler
    let ticket = locked { $0.add(&handler) }
    if let handler { worklist.accept(Turn(handler, owner)) }
    return ticket
  }

  /// Adds a handler if it would be the promise's first.
  ///
  /// - Parameter store: Puts what the handler needs into the promise. It is called under the lock.
  func addFirst(_ handler: consuming Handler, storing store: () -> Void) -> Bool {
    var handler: Handler? = handler
    return locked { machine in
      guard machine.isUnused else { return false }
      store()
      return machine.add(&handler) != nil
    }
  }

  /// Adds a handler outside of any drain that feeds nothing.
  @usableFromInline
  func add(_ handler: consuming Handler, of owner: any AnyPromise) {
    var handler: Handler? = handler
    _ = locked { $0.add(&handler) }
    if let handler { Worklist.start(Turn(handler, owner)) }
  }

  /// Adds a handler that gets its body when its task has suspended.
  ///
  /// - Returns: Its number; `nil` if the promise is settled.
  func addWaiter() -> UInt64? {
    locked { machine in
      var handler: Handler? = Handler(.waiter, on: nil, nil)
      return machine.observe() == nil ? machine.add(&handler) : nil
    }
  }

  /// Adds the handler that feeds a promise derived from this one, which was made for that.
  @usableFromInline
  func feed(_ child: borrowing Core, _ handler: consuming Handler, of owner: any AnyPromise) {
    var handler: Handler? = handler
    var reporter: Reporter?
    let ticket = locked { machine in
      reporter = machine.reporter
      return machine.add(&handler)
    }
    if let reporter { child.setReporter(reporter) }
    if let ticket, ticket != Machine.firstTicket { child.attach(Parents(Link(owner, ticket))) }
    if let handler { Worklist.start(Turn(handler, owner)) }
  }

  /// Sets the parents of this promise, or leaves them if it has been settled meanwhile.
  func attach(_ parents: Parents, _ worklist: inout Worklist) {
    var parents = parents
    if !locked({ $0.attach(&parents) }) { worklist.depart(from: parents) }
  }

  /// Sets the parents of this promise, or leaves them if it has been settled meanwhile.
  func attach(_ parents: Parents) {
    var worklist = Worklist()
    attach(parents, &worklist)
    worklist.drain()
  }
}

// MARK: Following

extension Core {
  /// Takes over another promise's outcome, once it is there.
  ///
  /// - Parameter take: Settles the owner as the other one is.
  /// - Returns: Whether this promise was still free to be resolved.
  func follow(
    _ other: any AnyPromise, by owner: any AnyPromise, _ worklist: inout Worklist,
    _ take: @escaping Handler.Body
  ) -> Bool {
    guard locked({ $0.bind() }) else { return false }
    if other === owner {
      return settle(.rejected(SelfResolution()), .cycle, of: owner, &worklist) {}
    }
    guard let ticket = other.add(Handler(.child, on: nil, take), &worklist) else { return true }
    attach(Parents(Link(other, ticket)), &worklist)
    // After it was attached: of two that begin to follow each other at once, one sees the cycle.
    if locked({ $0.hasHandlers }), other.waits(for: owner) {
      _ = settle(.rejected(SelfResolution()), .cycle, of: owner, &worklist) {}
    }
    return true
  }
}

/// The error of a promise that was told to follow itself, or one that follows it, and so would have
/// waited for ever.
public struct SelfResolution: Error, Sendable, Hashable {}

extension SelfResolution: CustomStringConvertible {
  /// What went wrong.
  public var description: String { "The promise was resolved with itself." }
}
