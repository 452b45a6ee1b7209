import Synchronization

/// An observation of a resource by a callback. It ends when it is cancelled or released.
public final class LiveObservation: Sendable {
  private let live: LiveResources
  private let end: @MainActor @Sendable () -> Void
  private let isCancelled = Atomic(false)

  /// Retains the live resources until the observation ends.
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
  /// Returns a sequence of states, each of which is read when the loop asks for the element. The
  /// owner is retained until the sequence ends.
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

  /// Returns a sequence that keeps only the latest element.
  static func ofLatest() -> (stream: AsyncStream<Void>, continuation: Continuation) {
    makeStream(bufferingPolicy: .bufferingNewest(1))
  }
}
