import Synchronization

/// The state of a promise and its lock. It decides under the lock, and acts after releasing it.
@usableFromInline
struct Core: ~Copyable, Sendable {
  /// Whether the promise is settled; read without the lock.
  private let isSettled: Atomic<Bool>
  private let machine: Mutex<Machine>

  @usableFromInline
  init(waitingFor parent: (any AnyPromise)? = nil) {
    machine = Mutex(Machine(waitingFor: parent.map(Parents.first) ?? .none))
    isSettled = Atomic(false)
  }

  @usableFromInline
  init(_ outcome: Outcome) {
    machine = Mutex(Machine(outcome))
    isSettled = Atomic(true)
  }

  /// Changes the state. The closure must not call out, or free a user's object.
  private func locked<Answer: ~Copyable & Sendable>(_ body: (inout Machine) -> Answer) -> Answer {
    machine.withLock { body(&$0) }
  }
}

extension Core {
  @usableFromInline var isPending: Bool { !isSettled.load(ordering: .acquiring) }

  private func onlyParent() -> (any AnyPromise)? { locked { $0.parents.only } }

  @usableFromInline
  func observe() -> Outcome? { locked { $0.observe() } }

  @usableFromInline
  func markObserved() { locked { $0.markObserved() } }

  func setReporter(_ reporter: @escaping Reporter) {
    var reporter: Reporter? = reporter
    locked { $0.setReporter(&reporter) }
  }
}

extension Core {
  /// Settles the promise from inside a drain, whose worklist its ready handlers join. Returns
  /// whether this call settled it.
  @usableFromInline
  @discardableResult
  func settle(
    _ outcome: Outcome, _ cause: Cause, of owner: any AnyPromise, _ worklist: inout Worklist
  ) -> Bool {
    guard let settlement = settling({ $0.settle(outcome, cause) }) else { return false }
    act(on: settlement, of: owner, &worklist)
    return true
  }

  /// Settles the promise from outside, with one hop for all handlers that follow, or none if all
  /// are inline.
  @usableFromInline
  @discardableResult
  func settle(_ outcome: Outcome, _ cause: Cause, of owner: any AnyPromise) -> Bool {
    Worklist.run { settle(outcome, cause, of: owner, &$0) }
  }

  /// Removes one interest, and cancels the promise after the last one.
  func leave(_ ticket: UInt64, of owner: any AnyPromise, _ worklist: inout Worklist) {
    var left: Handler?
    let settlement = settling { $0.leave(ticket, taking: &left) }
    if let left, left.interest == .waiter {
      left.body?(.rejected(CancellationError()), &worklist)
    }
    if let settlement { act(on: settlement, of: owner, &worklist) }
  }

  @usableFromInline
  func cancelIfUnwanted(_ owner: any AnyPromise, _ worklist: inout Worklist) {
    let settlement = settling { $0.cancelIfUnwanted() }
    if let settlement { act(on: settlement, of: owner, &worklist) }
  }

  /// Changes the state in a way that may settle the promise.
  private func settling(_ body: (inout Machine) -> Settlement?) -> Settlement? {
    locked { machine in
      let settlement = body(&machine)
      if settlement != nil { isSettled.store(true, ordering: .releasing) }
      return settlement
    }
  }

  private func act(
    on settlement: consuming Settlement, of owner: any AnyPromise, _ worklist: inout Worklist
  ) {
    if settlement.cause.leavesParents {
      if !settlement.cancelHooks.isEmpty {
        guard let depth = NestingDepth.enter() else {
          return Self.actLater(on: settlement, of: owner, &worklist)
        }
        for stop in settlement.cancelHooks { stop(&worklist) }
        NestingDepth.leave(to: depth)
      }
      worklist.depart(from: settlement.parents)
    }
    while let handler = settlement.handlers.popFirst() {
      worklist.accept(ReadyHandler(handler, settlement.outcome, owner))
    }
  }

  /// Acts on the settlement of a promise whose hooks can't be called here.
  private static func actLater(
    on settlement: consuming Settlement, of owner: any AnyPromise, _ worklist: inout Worklist
  ) {
    let (hooks, parents) = (settlement.cancelHooks, settlement.parents)
    let (outcome, waiting) = (settlement.outcome, settlement.handlers)
    worklist.accept { worklist in
      for stop in hooks { stop(&worklist) }
      worklist.depart(from: parents)
      var handlers = waiting
      while let handler = handlers.popFirst() {
        worklist.accept(ReadyHandler(handler, outcome, owner))
      }
    }
  }

  /// Calls a closure when the promise is cancelled, or at once if it was.
  @usableFromInline
  func onCancel(_ stop: @escaping Event) {
    guard locked({ $0.addCancelHook(stop) }) else { return }
    Worklist.run { worklist in
      guard let depth = NestingDepth.enter() else { return worklist.accept(stop) }
      stop(&worklist)
      NestingDepth.leave(to: depth)
    }
  }

  @usableFromInline
  func cancelWithIt(_ task: Task<Void, Never>) {
    onCancel { _ in NestedCalls.run(.event { _ in task.cancel() }, in: NestedCalls.$cancels) }
  }
}

extension Core {
  @usableFromInline
  func add(_ handler: Handler, of owner: any AnyPromise) {
    if case .settled(let outcome, starts: true) = locked({ $0.add(handler) }) {
      Worklist.start(ReadyHandler(handler, outcome, owner))
    }
  }

  /// Adds the handler that feeds a promise derived from this one.
  @usableFromInline
  func feed(_ child: borrowing Core, _ handler: Handler, of owner: any AnyPromise) {
    let (admission, reporter) = locked { ($0.add(handler), $0.reporter) }
    if let reporter { child.setReporter(reporter) }
    switch admission {
    case .pending(Machine.firstTicket), .settled(_, starts: false): break
    case .pending(let ticket): Worklist.run { child.attach(Parents(Link(owner, ticket)), &$0) }
    case .settled(let outcome, starts: true): Worklist.start(ReadyHandler(handler, outcome, owner))
    }
  }

  func addIfPending(_ handler: Handler) -> Admission { locked { $0.addIfPending(handler) } }

  /// Adds the interest of a task that is about to wait, unless the promise is settled.
  @usableFromInline
  func addWaiter() -> Admission { addIfPending(Handler(.waiter, .inline, nil)) }

  /// Gives a waiter its body; returns `false` if it has left, or the promise is settled.
  func fill(_ ticket: UInt64, with body: @escaping Handler.Body) -> Bool {
    locked { $0.fill(ticket, with: body) }
  }

  /// Ends the turn of a handler of the settled promise, and returns the next one on that executor.
  func advance(on executor: ExecutorReference) -> Handler? {
    locked { $0.advance(on: executor.id) }
  }

  /// Sets the parents of this promise, or leaves them if it has been settled in the meantime.
  func attach(_ parents: Parents, _ worklist: inout Worklist) {
    var parents = parents
    if !locked({ $0.attach(&parents) }) { worklist.depart(from: parents) }
  }
}

extension Core {
  /// Follows another promise and takes over its outcome, if this one can still be resolved.
  @usableFromInline
  func follow(
    _ other: any AnyPromise, by owner: any AnyPromise, _ worklist: inout Worklist
  ) -> Bool {
    guard locked({ $0.bind() }) else { return false }
    if other === owner {
      return settle(.rejected(SelfResolution()), .cycle, of: owner, &worklist)
    }
    switch other.core.addIfPending(.passing(to: owner, .child)) {
    case .settled(let outcome, _): return settle(outcome, .parents, of: owner, &worklist)
    case .pending(let ticket): attach(Parents(Link(other, ticket)), &worklist)
    }
    // Checked after attaching: if two promises begin to follow each other at the same time, one of
    // them sees the cycle.
    if locked({ $0.hasHandlers }), other.core.waits(for: owner) {
      settle(.rejected(SelfResolution()), .cycle, of: owner, &worklist)
    }
    return true
  }

  /// Returns whether this promise waits for another one only. One that waits for several, such as a
  /// `race`, may settle without that one.
  private func waits(for target: any AnyPromise) -> Bool {
    var next = onlyParent()
    while let parent = next {
      if parent === target { return true }
      next = parent.core.onlyParent()
    }
    return false
  }
}

extension Handler {
  static func passing(to child: any AnyPromise, _ interest: Interest) -> Handler {
    Handler(interest, .inline) { outcome, worklist in
      child.core.settle(outcome, .parents, of: child, &worklist)
    }
  }
}

/// The error of a promise that would wait for itself: it was resolved with itself, or with a
/// promise that follows it.
public struct SelfResolution: Error, Sendable, Hashable {}

extension SelfResolution: CustomStringConvertible {
  /// What went wrong.
  public var description: String { "The promise was resolved with itself." }
}
