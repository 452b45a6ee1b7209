/// An observation of a resource by a callback. It ends when it is cancelled or released.
public final class LiveObservation: Sendable {
  private let turns: LiveTurns
  private let end: @MainActor @Sendable () -> Void

  init(_ turns: LiveTurns, _ end: @escaping @MainActor @Sendable () -> Void) {
    self.turns = turns
    self.end = end
  }

  /// Ends the observation: the callback isn't called any more. Cancelling again does nothing.
  @MainActor
  public func cancel() { end() }

  deinit { turns.schedule(end) }
}
