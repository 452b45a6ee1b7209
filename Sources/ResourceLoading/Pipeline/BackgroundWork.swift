import PromiseModule
import Synchronization

/// Work that outlives the load that began it, until its client is closed. Equal work doesn't run
/// twice at a time.
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

/// Identifies loads that may share an exchange.
///
/// A class, because it is stored in several places, and a request is large.
final class SharingKey: Sendable {
  /// The request, with its credentials and without what only says how long and how urgently
  /// somebody waits.
  let request: Request
  /// The same client, and the same position in it.
  private let stage: Next.StageID
  /// ``Middleware/generation(of:)``.
  private let generation: Int
  /// The hash of the address, which is computed once because a key is looked up several times. Few
  /// requests to one address differ.
  private let digest: Int

  /// - Parameters:
  ///   - request: The complete request, with all that makes a difference.
  ///   - stage: The stage that sends it on.
  ///   - generation: The generation in which it would be sent.
  init(_ request: Request, at stage: Next.StageID, _ generation: Int) {
    var request = request
    request.options.timeout = nil
    request.options.attemptTimeout = nil
    request.options.idleTimeout = nil
    request.options.minimumThroughput = nil
    request.options.priority = nil
    self.request = request
    self.stage = stage
    self.generation = generation
    digest = request.address.hashValue
  }
}

extension SharingKey: Hashable {
  static func == (one: SharingKey, other: SharingKey) -> Bool {
    one === other
      || one.digest == other.digest && one.stage == other.stage
        && one.generation == other.generation && one.request == other.request
  }

  func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
