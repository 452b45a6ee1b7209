public import Synchronization

extension Promise {
  /// Takes over another promise's outcome, once it is there.
  ///
  /// - Returns: Whether this promise was still free to be resolved.
  @inlinable
  @discardableResult
  func follow(_ other: Promise<Value>, _ worklist: inout Worklist) -> Bool {
    guard other !== self else { return settle(.failure(SelfResolution()), &worklist) }
    if let result = other.result { return settle(result, &worklist) }
    let (bound, former) = machine.withLock { $0.bind(to: other) }
    guard bound else { return false }
    other.add(reaction(to: other), &worklist)
    // A cancel between the two steps found nothing to leave: leave now.
    if !isPending { other.leaveAll(key, &worklist) }
    withExtendedLifetime(former) {}
    return true
  }

  /// Takes over the outcome of a promise that a handler made, and that nobody else may want.
  @inlinable
  func adopt(_ other: Promise<Value>, _ worklist: inout Worklist) {
    if follow(other, &worklist) || isPending { return }
    other.add(reaction(to: other), &worklist)
    other.leaveAll(key, &worklist)
  }

  @inlinable var key: UInt { UInt(bitPattern: ObjectIdentifier(self)) }

  @inlinable
  func reaction(to other: Promise<Value>) -> Reaction {
    Reaction(.inline, for: self) { lane, worklist in
      if let result = other.result { self.settle(result, asBound: true, &worklist) }
      return other.advance(lane)
    }
  }
}
