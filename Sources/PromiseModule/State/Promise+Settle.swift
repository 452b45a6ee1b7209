public import Synchronization

extension Promise: Upstream {
  /// The outcome; `nil` while the promise is pending. Asking counts as observing a rejection.
  @inlinable
  public var result: Result<Value, any Error>? {
    machine.withLock { machine in
      if machine.phase == .settled { machine.isObserved = true }
      return machine.result
    }
  }

  @inlinable var isPending: Bool { machine.withLock { $0.phase != .settled } }

  /// Settles from inside a drain: whatever gets ready joins its worklist.
  @inlinable
  @discardableResult
  func settle(
    _ result: Result<Value, any Error>, asBound: Bool = false, _ worklist: inout Worklist
  ) -> Bool {
    guard let settlement = machine.withLock({ $0.settle(result, asBound: asBound) }) else {
      return false
    }
    worklist.accept(settlement.ready)
    return true
  }

  /// Settles from outside: one hop for all that follows, or none if it is all inline.
  @inlinable
  func settle(_ result: Result<Value, any Error>) -> Bool {
    var worklist = Worklist(lane: .inline)
    let settled = settle(result, &worklist)
    worklist.drain()
    return settled
  }

  /// Adds a reaction, and starts it if the outcome is there.
  @inlinable
  func add(_ reaction: Reaction) {
    var worklist = Worklist(lane: .inline)
    add(reaction, &worklist)
    worklist.drain()
  }

  @inlinable
  func add(_ reaction: Reaction, _ worklist: inout Worklist) {
    if machine.withLock({ $0.add(reaction) }) { worklist.accept(reaction) }
  }

  @inlinable
  func advance(_ lane: Lane) -> Reaction? {
    machine.withLock { $0.audience.advance(lane) }
  }

  @usableFromInline
  func leave(_ key: UInt, _ worklist: inout Worklist) -> (any Upstream)? {
    guard let settlement = machine.withLock({ $0.leave(key) }).cancelled else { return nil }
    for hook in settlement.cancelHooks { hook() }
    worklist.accept(settlement.ready)
    return settlement.upstream
  }
}
