import ResourcePrimitives
import Synchronization

/// Work that outlives the load that began it, until its client is closed. Equal work doesn't run
/// twice at a time.
final class BackgroundWork: Sendable {
  private let running = Mutex(InFlight<SharingKey, LoadContext>())
  private let drained = Drain()

  /// Begins some work with a time limit of its own, unless equal work is in flight or the client is
  /// closed, which also cancels the work.
  func begin(
    _ key: SharingKey, in context: LoadContext, _ work: @escaping @Sendable () async -> Void
  ) {
    guard running.withLock({ $0.begin(context, for: key) }) === context else { return }
    Task(executorPreference: SimulatedExecution.executor) { [self] in
      try? await context.run(work)
      context.complete(with: nil)
      let isLast = running.withLock { running in
        running.end(context, for: key)
        return running.isClosed && running.isEmpty
      }
      if isLast { drained.end() }
    }
  }

  /// Cancels the work in flight. More may begin.
  func cancelAll() {
    for context in running.withLock(\.all) { context.end(for: CancellationError()) }
  }

  /// Starts no more work, and waits until all has ended or the calling task is cancelled.
  func drain() async {
    running.withLock { $0.refuse() }
    await drained.wait { running.withLock(\.isEmpty) }
  }

  /// Cancels all work, and starts no more.
  func close() {
    running.withLock { $0.refuse() }
    cancelAll()
  }
}

/// Identifies loads that may share one load.
///
/// A class, because it is stored in several places, and a request is large.
final class SharingKey: Sendable {
  /// The request, with its credentials, but without timeouts and priorities.
  let request: Request
  /// The same client, and the same position in it.
  private let stage: Next.StageID
  /// ``Middleware/generation(of:)``.
  private let generation: Int
  /// The hash of the address, which is computed once because a key is looked up several times. Few
  /// requests to one address differ.
  private let digest: Int

  /// `request` has everything that makes a difference, and `generation` is the one in which it
  /// would be sent.
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
