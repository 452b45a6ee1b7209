// What the methods of a promise are made of. What touches the value is `@inlinable`, so that programs compile it for
// their types; the rest lies in `Core`, which knows no types.

extension Promise: AnyPromise {
  @usableFromInline
  func observe() -> Outcome? { core.observe() }

  @usableFromInline var failure: (any Error)? {
    if case .rejected(let error) = core.observe() { error } else { nil }
  }

  @usableFromInline
  func add(_ handler: consuming Handler, _ worklist: inout Worklist) -> UInt64? {
    core.add(handler, of: self, &worklist)
  }

  @usableFromInline
  func advance(on executor: (any PromiseExecutor)?) -> Handler? {
    core.locked { $0.advance(on: executor) }
  }

  @usableFromInline var ancestors: Parents { core.parents }

  @usableFromInline
  func leave(_ ticket: UInt64, _ worklist: inout Worklist) {
    core.leave(ticket, of: self, &worklist)
  }
}

// MARK: The outcome

extension Promise {
  /// The outcome of a promise that is known to be settled.
  @inlinable var settledResult: Result<Value, any Error> {
    if let box = settledBox { return .success(box.value) }
    guard case .rejected(let error) = core.observe() else { return .failure(CancellationError()) }
    return .failure(error)
  }

  /// A handler's promise, whose type it knows.
  @inlinable
  static func typed(_ promise: any AnyPromise) -> Promise<Value> {
    guard let typed = promise as? Promise<Value> else {
      preconditionFailure("A handler was given a promise of another type than \(Value.self).")
    }
    return typed
  }

  /// Settles from inside a drain: whatever gets ready joins its worklist.
  ///
  /// - Returns: Whether this call settled it.
  @inlinable
  @discardableResult
  func settle(
    _ result: Result<Value, any Error>, _ cause: Cause, _ worklist: inout Worklist
  ) -> Bool {
    switch result {
    case .success(let value):
      fulfill(Box(value), cause, &worklist)
    case .failure(let error):
      core.settle(.rejected(error), cause, of: self, &worklist) {}
    }
  }

  /// Settles from outside: one hop for all that follows, or none if it is all inline.
  @inlinable
  @discardableResult
  func settle(_ result: Result<Value, any Error>) -> Bool {
    switch result {
    case .success(let value):
      fulfill(Box(value))
    case .failure(let error):
      reject(error)
    }
  }

  /// Rejects from outside: one hop for all that follows, or none if it is all inline.
  @usableFromInline
  @discardableResult
  func reject(_ error: any Error) -> Bool {
    core.settle(.rejected(error), .resolution, of: self) {}
  }
}

// MARK: Handlers

extension Promise {
  /// Takes over another promise's outcome, once it is there.
  ///
  /// - Returns: Whether this promise was still free to be resolved.
  @usableFromInline
  func follow(_ other: Promise<Value>, _ worklist: inout Worklist) -> Bool {
    if other.core.observe() != nil {
      return settle(other.settledResult, .resolution, &worklist)
    }
    return core.follow(other, by: self, &worklist) { source, worklist in
      self.settle(Promise.typed(source).settledResult, .parents, &worklist)
    }
  }

  /// Takes over the outcome of the promise that a handler makes, or the error it throws.
  @inlinable
  func adopt(_ worklist: inout Worklist, _ make: () throws -> Promise<Value>) {
    do {
      let other = try make()
      // Cancelled meanwhile: nobody may want the other one, and then it is cancelled as well.
      if !follow(other, &worklist) { other.cancelIfUnwanted(&worklist) }
    } catch { settle(.failure(error), .parents, &worklist) }
  }

  @usableFromInline
  func cancelIfUnwanted(_ worklist: inout Worklist) {
    core.cancelIfUnwanted(self, &worklist)
  }

  /// Calls a closure when the promise is cancelled, or at once if it was.
  @usableFromInline
  func onCancel(_ stop: @escaping @Sendable () -> Void) {
    core.onCancel(stop)
  }
}
