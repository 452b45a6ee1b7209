import Synchronization

/// An observation of a resource by a callback. It ends when it is cancelled or released.
public final class LiveObservation: Sendable {
  private let live: LiveResources
  private let end: @MainActor @Sendable () -> Void
  private let isCancelled = Atomic(false)

  /// - Parameters:
  ///   - live: The live resources, kept until the observation ends.
  ///   - end: Ends it.
  init(in live: LiveResources, _ end: @escaping @MainActor @Sendable () -> Void) {
    (self.live, self.end) = (live, end)
  }

  /// Ends the observation: the callback isn't called anymore. Cancelling again does nothing.
  @MainActor
  public func cancel() {
    if !isCancelled.exchange(true, ordering: .relaxed) { end() }
  }

  deinit {
    if !isCancelled.load(ordering: .relaxed) { live.turns.schedule(end) }
  }
}

extension AsyncStream<Void> {
  /// Returns a sequence of what is read at each element, at the moment the loop takes it.
  ///
  /// - Parameters:
  ///   - owner: Kept until the sequence ends.
  ///   - read: Reads the present state.
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

  /// Returns a sequence that has the last of the elements that weren't taken.
  static func ofLatest() -> (stream: AsyncStream<Void>, continuation: Continuation) {
    makeStream(bufferingPolicy: .bufferingNewest(1))
  }
}
