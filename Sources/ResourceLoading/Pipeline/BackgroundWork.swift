import PromiseModule
import Synchronization

/// Work that outlives the load that began it, until its client is closed. Equal work doesn't run twice at a time.
final class BackgroundWork: Sendable {
  private let running = Mutex(InFlight<SharingKey, Promise<Void>>())

  /// Begins some work, unless equal work is in flight or the client is closed.
  ///
  /// - Parameter work: The work, which is cancelled when the client is closed.
  func begin(_ key: SharingKey, _ work: @escaping @Sendable () async -> Void) {
    let (promise, resolver) = Promise<Void>.pending()
    guard running.withLock({ $0.begin(promise, for: key) }) === promise else { return }
    let task = Task { [self] in
      await work()
      running.withLock { $0.end(promise, for: key) }
      resolver.fulfill()
    }
    resolver.onCancel { task.cancel() }
  }

  /// Cancels what is in flight; more may begin.
  func cancelAll() {
    for promise in running.withLock(\.all) { promise.cancel() }
  }

  /// Cancels all work, and begins no more.
  func close() {
    for promise in running.withLock({ $0.close() }) { promise.cancel() }
  }
}
