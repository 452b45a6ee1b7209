extension Promise {
  /// Waits until all promises are settled, in whatever way.
  ///
  /// - Parameter promises: The inputs; the same one may be there more than once.
  /// - Returns: A promise of all outcomes in the order of the inputs, of `[]` for none. Only a cancel
  ///   rejects it.
  @inlinable
  public static func settled<Input: Sendable>(
    _ promises: some Sequence<Promise<Input>>
  ) -> Promise<[Result<Input, any Error>]> where Value == [Result<Input, any Error>] {
    let inputs = Array(promises)
    return combine(inputs) { _ in
      nil
    } finish: {
      .value(Box(inputs.map { $0.settledOutcome.result(of: Input.self) }))
    }
  }

  /// Waits until all promises, of any types, are settled, in whatever way.
  ///
  /// - Parameter promises: The inputs, none or any number.
  /// - Returns: A promise of a tuple of all outcomes. Only a cancel rejects it.
  public static func settled<each Input: Sendable>(
    _ promises: repeat Promise<each Input>
  ) -> Promise<(repeat Result<each Input, any Error>)>
  where Value == (repeat Result<each Input, any Error>) {
    var inputs: [any AnyPromise] = []
    repeat inputs.append(each promises)
    return combine(inputs) { _ in
      nil
    } finish: {
      .value(Box((repeat (each promises).settledOutcome.result(of: (each Input).self))))
    }
  }
}
