import Synchronization

/// An observation of a resource by a callback. It ends when it is cancelled or released.
public final class LiveObservation: Sendable {
  private let live: LiveResources
  private let entry: any LiveEntry
  private let id: UInt64
  private let isCancelled = Atomic(false)

  /// - Parameters:
  ///   - live: What the resource depends on; kept until the observation ends.
  ///   - entry: The resource.
  ///   - id: The observer.
  init(of entry: any LiveEntry, by id: UInt64, in live: LiveResources) {
    (self.live, self.entry, self.id) = (live, entry, id)
  }

  /// Ends the observation: the callback isn't called any more. Cancelling again does nothing.
  @MainActor
  public func cancel() {
    if !isCancelled.exchange(true, ordering: .relaxed) { entry.dismiss(id) }
  }

  deinit {
    guard !isCancelled.load(ordering: .relaxed) else { return }
    live.turns.schedule { [entry, id] in entry.dismiss(id) }
  }
}
