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
    return combine(inputs) { result in
      result.failure.map { .failure($0) }
    } finish: {
      Result { try inputs.map { try $0.settled.get() } }
    }
  }

  /// Waits until all promises, of any types, are fulfilled, or one is rejected.
  ///
  /// ```swift
  /// let both = Promise.all(user, settings).map { user, settings in Screen(user, settings) }
  /// ```
  ///
  /// - Parameter promises: The inputs, none to as many as one likes.
  /// - Returns: A promise of a tuple of all values. The first rejection rejects it at once, and gives
  ///   up the interest in the others, as cancelling it does.
  public static func all<each Input: Sendable>(
    _ promises: repeat Promise<each Input>
  ) -> Promise<(repeat each Input)> where Value == (repeat each Input) {
    let group = Group(repeat each promises)
    let combined = Promise(origin: .upstream(group))
    var worklist = Worklist(lane: .inline)
    let finish: @Sendable () -> Result<Value, any Error> = {
      Result { (repeat try (each promises).settled.get()) }
    }
    func add<One>(_ input: Promise<One>) {
      input.report(to: combined, in: group, &worklist) { result in
        result.failure.map { .failure($0) }
      } finish: {
        finish()
      }
    }
    repeat add(each promises)
    if group.isEmpty { combined.settle(finish(), &worklist) }
    worklist.drain()
    return combined
  }
}
