extension Promise {
  /// Waits for the first promise that is fulfilled.
  ///
  /// - Parameter promises: The inputs.
  /// - Returns: A promise of the first value. It gives up the interest in the others then, as
  ///   cancelling it does. If all are rejected, or there are none, it is rejected with an
  ///   ``AggregateError`` that keeps every error in the order of the inputs.
  @inlinable
  public static func any(_ promises: some Sequence<Promise<Value>>) -> Promise<Value> {
    let inputs = Array(promises)
    return combine(inputs) { result in
      if case .success = result { result } else { nil }
    } finish: {
      .failure(AggregateError(inputs.compactMap { $0.settled.failure }))
    }
  }

  /// Waits for the first promise that is settled.
  ///
  /// - Parameter promises: The inputs.
  /// - Returns: A promise with the first outcome. It gives up the interest in the others then, as
  ///   cancelling it does. Without inputs nothing could ever settle it, so it is rejected with an empty
  ///   ``AggregateError``.
  @inlinable
  public static func race(_ promises: some Sequence<Promise<Value>>) -> Promise<Value> {
    combine(Array(promises)) { result in
      result
    } finish: {
      .failure(AggregateError([]))
    }
  }
}

extension Result where Failure == any Error {
  /// The error of a failure.
  @inlinable var failure: (any Error)? {
    if case .failure(let error) = self { error } else { nil }
  }
}
