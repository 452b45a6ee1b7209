extension AsyncStream<Void> {
  /// Returns what is read at each element, and keeps an object until the sequence ends. What is read is
  /// never older than the moment at which the loop takes it.
  @MainActor
  func map<State: Sendable>(
    keeping owner: some AnyObject & Sendable, _ read: @escaping @MainActor () -> State
  ) -> AsyncStream<State> {
    AsyncStream<State> { @MainActor in
      var iterator = makeAsyncIterator()
      let state = await iterator.next().map(read)
      withExtendedLifetime(owner) {}
      return state
    }
  }
}
