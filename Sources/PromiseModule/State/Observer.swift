/// A closure that is told an outcome, as `observe` takes it.
///
/// Alone in an audience it needs no memory of its own: a reaction of two words can hold a closure of
/// two words, whatever its type. Only a promise of the same type takes it out again.
@usableFromInline
struct Observer<Value: Sendable>: Sendable {
  @usableFromInline let body: @Sendable (Result<Value, any Error>) -> Void

  @inlinable
  init(body: @escaping @Sendable (Result<Value, any Error>) -> Void) {
    self.body = body
  }

  @inlinable
  init(in reaction: Reaction) {
    self = unsafeBitCast(Erased(reaction.call), to: Observer.self)
  }

  @inlinable
  func reaction(on lane: Lane) -> Reaction {
    Reaction(lane, key: Key(observer: ()), unsafeBitCast(self, to: Erased.self).call)
  }
}

extension Promise {
  /// A reaction that can be called, for one that is only an observer's closure.
  @inlinable
  func observing(_ observer: Reaction) -> Reaction {
    let body = Observer<Value>(in: observer).body
    return Reaction(observer.lane, key: Key(waiter: 0)) { _, lane, worklist in
      body(self.settled)
      self.advance(lane, &worklist)
    }
  }
}
