extension Promise {
  /// Takes over another promise's outcome, once it is there.
  ///
  /// - Returns: Whether this promise was still free to be resolved.
  @inlinable
  @discardableResult
  func follow(_ other: Promise<Value>, _ worklist: inout Worklist) -> Bool {
    guard other !== self else { return settle(.failure(SelfResolution()), &worklist) }
    if let result = other.result { return settle(result, &worklist) }
    guard let former = locked({ $0.bind(to: other) }) else { return false }
    join(other, &worklist)
    withExtendedLifetime(former) {}
    return true
  }

  /// Takes over the outcome of a promise that a handler made.
  @inlinable
  func adopt(_ other: Promise<Value>, _ worklist: inout Worklist) {
    // Cancelled meanwhile: nobody may want the other one, and then it is cancelled as well.
    if !follow(other, &worklist), !isPending { join(other, &worklist) }
  }

  /// Joins the audience of a promise, and leaves it at once if this one is settled already.
  @usableFromInline
  func join(_ other: Promise<Value>, _ worklist: inout Worklist) {
    let reaction = Reaction(.inline, key: key) { _, lane, worklist in
      self.settle(other.settled, asBound: true, &worklist)
      other.advance(lane, &worklist)
    }
    other.add(reaction, &worklist)
    if !isPending { worklist.depart(from: other, key) }
  }
}
