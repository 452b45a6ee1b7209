extension Promise {
  /// Waits until all promises are fulfilled, or one is rejected.
  ///
  /// - Parameter promises: The inputs; the same one may be there more than once.
  /// - Returns: A promise of all values in the order of the inputs, of `[]` for none. The first
  ///   rejection rejects it at once, and gives up the interest in the others, as cancelling it does.
  @inlinable
  public static func all<Input: Sendable>(
    _ promises: some Sequence<Promise<Input>>
  ) -> Promise<[Input]> where Value == [Input] {
    let inputs = Array(promises)
    return combine(inputs) { outcome in
      outcome.failure == nil ? nil : outcome
    } finish: {
      Outcome { try inputs.map { try $0.settledOutcome.get(Input.self) } }
    }
  }

  /// Waits until all promises, of any types, are fulfilled, or one is rejected.
  ///
  /// ```swift
  /// let both = Promise.all(user, settings).map { user, settings in Screen(user, settings) }
  /// ```
  ///
  /// - Parameter promises: The inputs, none or any number.
  /// - Returns: A promise of a tuple of all values. The first rejection rejects it at once, and gives
  ///   up the interest in the others, as cancelling it does.
  public static func all<each Input: Sendable>(
    _ promises: repeat Promise<each Input>
  ) -> Promise<(repeat each Input)> where Value == (repeat each Input) {
    var inputs: [any AnyPromise] = []
    repeat inputs.append(each promises)
    return combine(inputs) { outcome in
      outcome.failure == nil ? nil : outcome
    } finish: {
      Outcome { (repeat try (each promises).settledOutcome.get((each Input).self)) }
    }
  }

  /// The outcome of a promise that is known to be settled.
  @usableFromInline var settledOutcome: Outcome {
    observedOutcome ?? .failure(CancellationError())
  }
}
