import Synchronization

/// The state of a promise under its lock: decides there, and acts when the lock is open again.
///
/// It doesn't depend on the type of the value, so it is compiled once, and well.
struct Core: ~Copyable, Sendable {
  private let machine: Mutex<Machine>

  init(_ outcome: Outcome?) {
    machine = Mutex(Machine(outcome))
  }

  /// Changes the state; nothing in the closure may call out, or free what a user has made.
  func locked<Answer: ~Copyable & Sendable>(_ body: (inout Machine) -> Answer) -> Answer {
    machine.withLock { body(&$0) }
  }
}

extension Core {
  var outcome: Outcome? { locked { $0.outcome } }
  var isPending: Bool { locked { !$0.isSettled } }
  var parents: Parents { locked { $0.allParents } }

  func observedOutcome() -> Outcome? { locked { $0.observeOutcome() } }

  func markObserved() { locked { $0.isObserved = true } }

  func setReporter(_ reporter: @escaping Reporter) {
    var reporter: Reporter? = reporter
    locked { $0.setReporter(&reporter) }
  }

  /// Reports a rejection that nobody can see any more.
  func reportUnobserved() {
    if let unreported = locked({ $0.unreportedRejection }) { unreported.report(unreported.error) }
  }
}

// MARK: Settling

extension Core {
  /// Settles from inside a drain: whatever gets ready joins its worklist.
  func settle(
    _ outcome: Outcome, _ cause: Cause, of owner: any AnyPromise, _ worklist: inout Worklist
  ) -> Bool {
    guard let settlement = locked({ $0.settle(outcome, cause) }) else { return false }
    act(on: settlement, of: owner, &worklist)
    return true
  }

  private func act(
    on settlement: consuming Settlement, of owner: any AnyPromise, _ worklist: inout Worklist
  ) {
    if settlement.cause == .cancellation {
      for stop in settlement.cancelHooks { stop() }
    }
    if settlement.cause.leavesParents { worklist.depart(from: settlement.parents) }
    let outcome = settlement.outcome
    switch consume settlement.ready {
    case .none: break
    case .one(let handler):
      worklist.accept(Turn(handler: handler, outcome: outcome, owner: owner))
    case .many(let handlers):
      for handler in handlers {
        worklist.accept(Turn(handler: handler, outcome: outcome, owner: owner))
      }
    }
  }

  func leave(_ ticket: UInt64, of owner: any AnyPromise, _ worklist: inout Worklist) {
    var departure = locked { $0.leave(ticket) }
    if let handler = departure.handler, handler.interest == .waiter {
      handler.body?(.failure(CancellationError()), &worklist)
    }
    if let settlement = departure.settlement.take() { act(on: settlement, of: owner, &worklist) }
  }

  func cancelIfUnwanted(_ owner: any AnyPromise, _ worklist: inout Worklist) {
    if let settlement = locked({ $0.isSettled ? nil : $0.cancelIfUnwanted() }) {
      act(on: settlement, of: owner, &worklist)
    }
  }

  func onCancel(_ stop: @escaping @Sendable () -> Void) {
    if locked({ $0.addCancelHook(stop) }) { stop() }
  }
}

// MARK: Adding handlers

extension Core {
  func add(
    _ interest: Interest, on executor: (any PromiseExecutor)?, of owner: any AnyPromise,
    _ worklist: inout Worklist, _ body: @escaping Handler.Body
  ) -> UInt64? {
    switch locked({ $0.add(on: executor, interest, body) }) {
    case .waits(let ticket): return ticket
    case .isQueued: return nil
    case .starts(let handler, let outcome):
      worklist.accept(Turn(handler: handler, outcome: outcome, owner: owner))
      return nil
    }
  }

  /// Adds a handler outside of any drain that feeds nothing.
  func add(
    _ interest: Interest, on executor: (any PromiseExecutor)?, of owner: any AnyPromise,
    _ body: @escaping Handler.Body
  ) {
    if case .starts(let handler, let outcome) = locked({ $0.add(on: executor, interest, body) }) {
      Worklist.start(Turn(handler: handler, outcome: outcome, owner: owner))
    }
  }

  /// Adds the handler that feeds a promise derived from this one.
  func feed(
    _ child: borrowing Core, _ interest: Interest, on executor: (any PromiseExecutor)?,
    of owner: any AnyPromise, _ body: @escaping Handler.Body
  ) {
    var reporter: Reporter?
    let admission = locked { machine in
      reporter = machine.reporter
      return machine.add(on: executor, interest, body)
    }
    if let reporter { child.setReporter(reporter) }
    switch admission {
    case .waits(let ticket): child.attach(.one(Link(owner, ticket)))
    case .isQueued: break
    case .starts(let handler, let outcome):
      Worklist.start(Turn(handler: handler, outcome: outcome, owner: owner))
    }
  }

  /// Sets the parents of this promise, or leaves them if it has been settled meanwhile.
  func attach(_ parents: Parents, _ worklist: inout Worklist) {
    var parents = parents
    if !locked({ $0.attach(&parents) }) { worklist.depart(from: parents) }
  }

  /// Sets the parents of this promise, or leaves them if it has been settled meanwhile.
  func attach(_ parents: Parents) {
    var parents = parents
    if locked({ $0.attach(&parents) }) { return }
    var worklist = Worklist()
    worklist.depart(from: parents)
    worklist.drain()
  }
}

// MARK: Following

extension Core {
  /// Takes over another promise's outcome, once it is there.
  ///
  /// - Returns: Whether this promise was still free to be resolved.
  func follow(_ other: any AnyPromise, by owner: any AnyPromise, _ worklist: inout Worklist) -> Bool
  {
    if other === owner {
      return settle(.failure(SelfResolution()), .resolution, of: owner, &worklist)
    }
    if let outcome = other.observedOutcome {
      return settle(outcome, .resolution, of: owner, &worklist)
    }
    guard locked({ $0.bind() }) else { return false }
    let ticket = other.add(.child, on: nil, &worklist) { outcome, worklist in
      owner.settle(outcome, .parents, &worklist)
    }
    guard let ticket else { return true }
    attach(.one(Link(other, ticket)), &worklist)
    // After it was attached: of two that begin to follow each other at once, one sees the cycle.
    if hasHandlers, other.waits(for: owner) {
      owner.settle(.failure(SelfResolution()), .cycle, &worklist)
    }
    return true
  }

  /// Whether anybody waits. For a promise without, nothing above it can.
  private var hasHandlers: Bool { locked { !$0.handlers.isEmpty } }
}
