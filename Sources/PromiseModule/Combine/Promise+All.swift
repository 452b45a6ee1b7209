extension Promise {
  /// Waits until all promises are fulfilled, or one is rejected.
  ///
  /// - Parameter promises: The inputs; the same one may be there more than once.
  /// - Returns: A promise of all values in the order of the inputs; `[]` if there are none. The
  ///   first rejection rejects it at once and gives up its interest in the others, as cancelling it
  ///   does.
  @inlinable
  public static func all<Input: Sendable>(
    _ promises: some Sequence<Promise<Input>>
  ) -> Promise<[Input]> where Value == [Input] {
    let inputs = Array(promises)
    return combine(inputs) { outcome in
      outcome.error.map { .rejected($0) }
    } finish: {
      Outcome { try inputs.map { try $0.settledResult.get() } }
    }
  }

  /// Waits until all promises, of any types, are fulfilled, or one is rejected.
  ///
  /// ```swift
  /// let both = Promise.all(user, settings).map { user, settings in Screen(user, settings) }
  /// ```
  ///
  /// - Parameter promises: The inputs, none or any number.
  /// - Returns: A promise of a tuple of all values. The first rejection rejects it at once and
  ///   gives up its interest in the others, as cancelling it does.
  public static func all<each Input: Sendable>(
    _ promises: repeat Promise<each Input>
  ) -> Promise<(repeat each Input)> where Value == (repeat each Input) {
    var inputs: [any AnyPromise] = []
    repeat inputs.append(each promises)
    return combine(inputs) { outcome in
      outcome.error.map { .rejected($0) }
    } finish: {
      Outcome { (repeat try (each promises).settledResult.get()) }
    }
  }

  /// Waits until all promises are settled, fulfilled or rejected.
  ///
  /// - Parameter promises: The inputs; the same one may be there more than once.
  /// - Returns: A promise of all outcomes in the order of the inputs; `[]` if there are none. It is
  ///   rejected only if it is cancelled.
  @inlinable
  public static func settled<Input: Sendable>(
    _ promises: some Sequence<Promise<Input>>
  ) -> Promise<[Result<Input, any Error>]> where Value == [Result<Input, any Error>] {
    let inputs = Array(promises)
    return combine(inputs) { _ in
      nil
    } finish: {
      .fulfilled(Box<Value>(inputs.map(\.settledResult)))
    }
  }

  /// Waits until all promises, of any types, are settled, fulfilled or rejected.
  ///
  /// - Parameter promises: The inputs, none or any number.
  /// - Returns: A promise of a tuple of all outcomes. It is rejected only if it is cancelled.
  public static func settled<each Input: Sendable>(
    _ promises: repeat Promise<each Input>
  ) -> Promise<(repeat Result<each Input, any Error>)>
  where Value == (repeat Result<each Input, any Error>) {
    var inputs: [any AnyPromise] = []
    repeat inputs.append(each promises)
    return combine(inputs) { _ in
      nil
    } finish: {
      .fulfilled(Box<Value>((repeat (each promises).settledResult)))
    }
  }
}
