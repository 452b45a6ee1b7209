/// A promise, whatever the type of its value.
@usableFromInline
protocol AnyPromise: Parent {
  var observedOutcome: Outcome? { get }

  /// Adds a handler inside a drain, whose worklist it joins if the promise is settled.
  ///
  /// - Returns: The number of the handler, if it waits for the promise.
  func add(
    _ interest: Interest, on executor: (any PromiseExecutor)?, _ worklist: inout Worklist,
    _ body: @escaping Handler.Body
  ) -> UInt64?

  /// Settles from inside a drain: whatever gets ready joins its worklist.
  ///
  /// - Returns: Whether this call settled it.
  @discardableResult
  func settle(_ outcome: Outcome, _ cause: Cause, _ worklist: inout Worklist) -> Bool

  /// Ends the turn of a handler of the settled promise.
  ///
  /// - Returns: The next one on that executor.
  func advance(on executor: (any PromiseExecutor)?) -> Handler?
}

extension Promise: AnyPromise {
  @usableFromInline var isPending: Bool { core.isPending }

  @usableFromInline var observedOutcome: Outcome? { core.observedOutcome() }

  @usableFromInline
  func add(
    _ interest: Interest, on executor: (any PromiseExecutor)?, _ worklist: inout Worklist,
    _ body: @escaping Handler.Body
  ) -> UInt64? {
    core.add(interest, on: executor, of: self, &worklist, body)
  }

  @usableFromInline
  func markObserved() { core.markObserved() }

  /// Adds a handler outside of any drain that feeds nothing.
  @usableFromInline
  func add(
    _ interest: Interest, on executor: (any PromiseExecutor)?, _ body: @escaping Handler.Body
  ) {
    core.add(interest, on: executor, of: self, body)
  }

  /// Adds the handler that feeds a promise derived from this one.
  @usableFromInline
  func feed<Output>(
    _ child: Promise<Output>, _ interest: Interest = .child, on executor: (any PromiseExecutor)?,
    _ body: @escaping Handler.Body
  ) {
    core.feed(child.core, interest, on: executor, of: self, body)
  }

  @usableFromInline
  func advance(on executor: (any PromiseExecutor)?) -> Handler? {
    core.locked { $0.advance(on: executor) }
  }
}

extension Promise: Parent {
  @usableFromInline var ancestors: Parents { core.parents }

  @usableFromInline
  func leave(_ ticket: UInt64, _ worklist: inout Worklist) {
    core.leave(ticket, of: self, &worklist)
  }
}

extension Promise {
  @usableFromInline
  @discardableResult
  func settle(_ outcome: Outcome, _ cause: Cause, _ worklist: inout Worklist) -> Bool {
    core.settle(outcome, cause, of: self, &worklist)
  }

  /// Settles from outside: one hop for all that follows, or none if it is all inline.
  @usableFromInline
  func settle(_ outcome: Outcome, _ cause: Cause = .resolution) -> Bool {
    var worklist = Worklist()
    let settled = core.settle(outcome, cause, of: self, &worklist)
    worklist.drain()
    return settled
  }

  /// Takes over another promise's outcome, once it is there.
  ///
  /// - Returns: Whether this promise was still free to be resolved.
  func follow(_ other: Promise<Value>, _ worklist: inout Worklist) -> Bool {
    core.follow(other, by: self, &worklist)
  }

  /// Takes over the outcome of the promise that a handler makes, or the error it throws.
  @usableFromInline
  func adopt(_ worklist: inout Worklist, _ make: () throws -> Promise<Value>) {
    do {
      let other = try make()
      // Cancelled meanwhile: nobody may want the other one, and then it is cancelled as well.
      if !follow(other, &worklist) { other.core.cancelIfUnwanted(other, &worklist) }
    } catch { settle(.failure(error), .parents, &worklist) }
  }

  /// Calls a closure when the promise is cancelled, or at once if it was.
  @usableFromInline
  func onCancel(_ stop: @escaping @Sendable () -> Void) {
    core.onCancel(stop)
  }
}
