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
        if settlement != nil { put(value) }
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
    hand(settlement.ready, to: &worklist)
    return true
  }

  /// Gives a worklist all that settling this promise has made ready.
  @inlinable
  func hand(_ ready: consuming Ready, to worklist: inout Worklist) {
    switch consume ready {
    case .none: break
    case .one(let reaction):
      if reaction.key.isObserver {
        worklist.accept(Due(observing(reaction), of: self))
      } else {
        worklist.accept(Due(reaction, of: self))
      }
    case .many(let reactions):
      for reaction in reactions { worklist.acceptAnother(Due(reaction, of: self)) }
    }
  }

  /// Settles from outside: one hop for all that follows, or none if it is all inline.
  @inlinable
  func settle(_ result: Result<Value, any Error>) -> Bool {
    guard let settlement = close(result, asBound: false) else { return false }
    var worklist = Worklist(lane: .inline)
    switch consume settlement.ready {
    case .none: return true
    case .one(let only):
      if only.lane != .inline {
        hand(.one(only), to: &worklist)
      } else if only.key.isObserver {
        // The first of what is to be done needs neither a place in the list nor memory.
        Observer<Value>(in: only).body(result)
        advance(.inline, &worklist)
      } else {
        only.run(for: Unmanaged.passUnretained(self).toOpaque(), &worklist)
      }
    case .many(let reactions): hand(.many(reactions), to: &worklist)
    }
    worklist.drain()
    return true
  }
}
