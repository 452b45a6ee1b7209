public import Synchronization

extension Promise {
  /// The outcome; `nil` while the promise is pending. Asking counts as observing a rejection.
  @inlinable
  public var result: Result<Value, any Error>? {
    guard isSettled.load(ordering: .acquiring) else { return nil }
    let result = settled
    if case .failure = result { markObserved() }
    return result
  }

  @inlinable var isPending: Bool { !isSettled.load(ordering: .acquiring) }

  @inlinable
  func markObserved() {
    locked { $0.isObserved = true }
  }

  /// Changes the state to settled, if it isn't.
  @inlinable
  func close(_ result: Result<Value, any Error>, asBound: Bool) -> Machine.Settlement? {
    locked { machine in
      switch result {
      case .success(let value):
        let settlement = machine.settle(nil, asBound: asBound)
        if settlement != nil { arrived = value }
        return settlement
      case .failure(let error):
        return machine.settle(error, asBound: asBound)
      }
    }
  }

  /// Settles from inside a drain: whatever gets ready joins its worklist.
  @inlinable
  @discardableResult
  func settle(
    _ result: Result<Value, any Error>, asBound: Bool = false, _ worklist: inout Worklist
  ) -> Bool {
    guard let settlement = close(result, asBound: asBound) else { return false }
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
}
