import PromiseModule
import Synchronization

/// What goes on when the load that began it is over, until its client is closed; one of a kind at a time.
final class BackgroundWork: Sendable {
  private let running = Mutex(InFlight<SharingKey, Promise<Void>>())

  /// Begins some work, unless work of its kind is in flight or the client is closed.
  ///
  /// - Parameter work: Is cancelled when the client is closed.
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

  /// Cancels what is in flight; nothing begins any more.
  func close() {
    for promise in running.withLock({ $0.close() }) { promise.cancel() }
  }
}
