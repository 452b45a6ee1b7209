import Synchronization

/// The exchanges under way that loads share.
final class SharedRuns: Sendable {
  private let state = Mutex(Sharing<SharedRun>())

  /// The run for a request: the one under way, or a new one that the caller has to start.
  func join(_ request: Request, _ next: Next) -> (run: SharedRun, isNew: Bool) {
    let key = SharingKey(request: request, predicted: next.foretold(request), place: next.place)
    if let run = state.withLock({ $0[key] }) { return (run, false) }
    let fresh = SharedRun(key, for: next.context)
    let run = state.withLock { $0.begin(fresh, for: key) }
    return (run, run === fresh)
  }

  /// Takes a run out: nobody joins it any more.
  func end(_ run: SharedRun) {
    state.withLock { $0.end(run, for: run.key) }
  }
}
