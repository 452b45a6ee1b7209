extension Promise {
  /// Waits for the first promise that is fulfilled.
  ///
  /// - Parameter promises: The inputs.
  /// - Returns: A promise of the first value. It then gives up its interest in the others, as
  ///   cancelling it does. If all are rejected, or there are none, it is rejected with an
  ///   ``AggregateError`` that keeps every error in the order of the inputs.
  public static func any(_ promises: some Sequence<Promise<Value>>) -> Promise<Value> {
    let inputs = Array(promises)
    return combine(inputs) { outcome in
      outcome.error == nil ? outcome : nil
    } finish: {
      .rejected(AggregateError(inputs.compactMap { $0.core.observe()?.error }))
    }
  }

  /// Waits for the first promise that is fulfilled.
  ///
  /// - Parameter promises: The inputs.
  /// - Returns: The same as ``any(_:)-(Sequence<Promise<Value>>)``.
  public static func any(_ promises: Promise<Value>...) -> Promise<Value> {
    any(promises)
  }

  /// Waits for the first promise that is settled.
  ///
  /// - Parameter promises: The inputs.
  /// - Returns: A promise with the first outcome. It then gives up its interest in the others, as
  ///   cancelling it does. Without inputs nothing could ever settle it, so it is rejected with an
  ///   empty ``AggregateError``.
  public static func race(_ promises: some Sequence<Promise<Value>>) -> Promise<Value> {
    combine(Array(promises)) { outcome in
      outcome
    } finish: {
      .rejected(AggregateError([]))
    }
  }

  /// Waits for the first promise that is settled.
  ///
  /// - Parameter promises: The inputs.
  /// - Returns: The same as ``race(_:)-(Sequence<Promise<Value>>)``.
  public static func race(_ promises: Promise<Value>...) -> Promise<Value> {
    race(promises)
  }
}
