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
      .success(inputs.map { $0.settled })
    }
  }

  /// Waits until all promises, of any types, are settled, in whatever way.
  ///
  /// - Parameter promises: The inputs, none to as many as one likes.
  /// - Returns: A promise of a tuple of all outcomes. Only a cancel rejects it.
  public static func settled<each Input: Sendable>(
    _ promises: repeat Promise<each Input>
  ) -> Promise<(repeat Result<each Input, any Error>)>
  where Value == (repeat Result<each Input, any Error>) {
    let group = Group(repeat each promises)
    let combined = Promise(origin: .upstream(group))
    var worklist = Worklist(lane: .inline)
    let finish: @Sendable () -> Value = { (repeat (each promises).settled) }
    func add<One>(_ input: Promise<One>) {
      input.report(to: combined, in: group, &worklist) { _ in
        nil
      } finish: {
        .success(finish())
      }
    }
    repeat add(each promises)
    if group.isEmpty { combined.settle(.success(finish()), &worklist) }
    worklist.drain()
    return combined
  }
}
