extension Promise {
  /// A promise for what a closure makes of the value.
  ///
  /// - Parameters:
  ///   - executor: Where the closure runs; the background if left out.
  ///   - transform: Runs once, if the value arrives and the new promise hasn't been cancelled.
  /// - Returns: A promise of the new value, rejected with this one's error or with what the closure
  ///   throws. Cancelling it gives up its interest in this one.
  @inlinable
  public func map<NewValue: Sendable>(
    on executor: some PromiseExecutor = .default,
    _ transform: @escaping @Sendable (Value) throws -> NewValue
  ) -> Promise<NewValue> {
    let child = Promise<NewValue>(origin: .upstream(self))
    child.keep(Step(transform))
    // Captures one object, so it needs no memory.
    let key = Key(child: child, holdsStep: true)
    let reaction = Reaction(Lane(executor), key: key) { owner, lane, worklist in
      let step = child.takeStep(from: Value.self)
      guard let owner else { return }
      Unmanaged<Promise<Value>>.fromOpaque(owner)._withUnsafeGuaranteedRef { parent in
        if child.isPending { child.settle(parent.settled.mapCatching(step.run), &worklist) }
        parent.advance(lane, &worklist)
      }
    }
    add(reaction, feeding: child)
    return child
  }

  /// A promise for what a closure on the main actor makes of the value.
  ///
  /// - Parameters:
  ///   - executor: `.mainActor`.
  ///   - transform: Runs once, if the value arrives and the new promise hasn't been cancelled.
  /// - Returns: A promise of the new value, rejected with this one's error or with what the closure
  ///   throws. Cancelling it gives up its interest in this one.
  @inlinable
  public func map<NewValue: Sendable>(
    on executor: MainActorExecutor,
    _ transform: @escaping @MainActor @Sendable (Value) throws -> NewValue
  ) -> Promise<NewValue> {
    map(on: MainActorLane.shared) { value in
      try MainActor.assumeIsolated { try transform(value) }
    }
  }
}

extension Result where Failure == any Error {
  /// Maps a success by a closure that may throw.
  @inlinable
  func mapCatching<NewSuccess>(
    _ transform: (Success) throws -> NewSuccess
  ) -> Result<NewSuccess, any Error> {
    switch self {
    case .success(let value): Result<NewSuccess, any Error> { try transform(value) }
    case .failure(let error): .failure(error)
    }
  }
}
