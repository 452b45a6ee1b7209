import Foundation
import PromiseModule
import ResourcePrimitives
import Synchronization

/// The load that several identical loads wait for, in its own task: an exchange with its redirects
/// and retries.
final class SharedExchange: Sendable {
  /// The outcome. It is a class because all waiting loads share it.
  final class Outcome: Sendable {
    let result: Result<Response, any Error>

    init(_ result: Result<Response, any Error>) { self.result = result }
  }

  let key: SharingKey
  private let request: Request
  /// The promise of the outcome, which is rejected only if all waiting loads have left.
  let promise: Promise<Outcome>
  private let resolver: Promise<Outcome>.Resolver
  private let context: LoadContext
  private let waiters: Waiters

  /// Creates an exchange for the first load, without starting it.
  init(_ request: Request, _ key: SharingKey, for first: LoadContext) {
    let waiters = Waiters()
    self.key = key
    self.request = request
    self.waiters = waiters
    let progress = ProgressReporter(
      when: { waiters.wantsProgress }, { waiters.tell($0) })
    context = first.shared(for: request, progress: progress) {
      waiters.first?.report($0.kind)
    }
    (promise, resolver) = Promise<Outcome>.pending()
  }
}

extension SharedExchange {
  /// Passes on the request. `ended` is called before the promise is fulfilled.
  func start(_ next: Next, ended: @escaping @Sendable () -> Void) {
    let next = next.on(behalfOf: context)
    context.start { [self] in
      let result: Result<Response, any Error>
      var failure: (any Error)?
      do { result = .success(try await next(request)) } catch {
        (result, failure) = (.failure(error), error)
      }
      ended()
      context.complete(with: failure)
      resolver.fulfill(Outcome(result))
    }
    resolver.onCancel { [context] in context.end(for: CancellationError()) }
  }

  /// Waits for the outcome until the calling task is cancelled. `counts` is called once this load
  /// counts as a waiter, which keeps the exchange from being cancelled when all others leave. It
  /// isn't called if the exchange has ended.
  func outcome(counts: () -> Void) async throws -> Outcome {
    let own = promise.map(on: .inline) { $0 }
    if own.result == nil { counts() }
    return try await own.get()
  }

  /// Adds a waiting load, whose deadline and identity the exchange takes into account, and returns
  /// the ticket with which it is removed.
  func add(_ load: LoadContext) -> Ticket {
    context.extend(to: load.deadline)
    load.follow(context)
    return waiters.add(load)
  }

  /// The identity of the last sent request; `nil` if none was sent.
  var sent: RequestIdentity? { context.lastIdentity }

  /// Returns whether the exchange exceeded a time limit that another request doesn't have.
  func gaveUp(_ outcome: Outcome, before other: Request) -> Bool {
    guard case .failure(let error as LoadError) = outcome.result, error.kind == .timedOut else {
      return false
    }
    return other.options.isMorePatient(than: request.options)
  }

  func remove(_ ticket: Ticket) { waiters.remove(ticket) }

  typealias Ticket = FairQueue<LoadContext>.Ticket
}

extension Request.Options {
  /// Returns whether one of the limits of an exchange is longer than in other options. The load's
  /// own limit isn't compared.
  fileprivate func isMorePatient(than other: Request.Options) -> Bool {
    let limits = [
      (attemptTimeout, other.attemptTimeout), (idleTimeout, other.idleTimeout),
    ]
    return limits.contains { own, others in
      others.map { others in own.map { $0 > others } ?? true } ?? false
    } || other.minimumThroughput != nil && minimumThroughput != other.minimumThroughput
  }
}

extension SharedExchange {
  /// The waiting loads. Events are reported for the load that has waited longest, and progress to
  /// all.
  private final class Waiters: Sendable {
    private let queue = Mutex(FairQueue<LoadContext>())

    var first: LoadContext? { queue.withLock(\.first) }

    var wantsProgress: Bool { queue.withLock { $0.contains { $0.progress != nil } } }

    func tell(_ progress: TransferProgress) {
      for load in queue.withLock({ Array($0) }) { load.progress?(progress) }
    }

    func add(_ load: LoadContext) -> Ticket { queue.withLock { $0.append(load) } }

    func remove(_ ticket: Ticket) {
      // Freed outside the lock.
      let load = queue.withLock { $0.remove(ticket) }
      withExtendedLifetime(load) {}
    }
  }
}

/// The exchanges in flight that loads share.
final class SharedExchanges: Sendable {
  private let inFlight = Mutex(InFlight<SharingKey, SharedExchange>())
  private let generations = Mutex(URLGenerations())

  /// Returns the exchange in flight for a request, or a new one that the caller has to start.
  func join(
    _ request: Request, _ key: SharingKey, for load: LoadContext
  ) -> (exchange: SharedExchange, isNew: Bool) {
    if let exchange = inFlight.withLock({ $0[key] }) { return (exchange, false) }
    let fresh = SharedExchange(request, key, for: load)
    let exchange = inFlight.withLock { $0.begin(fresh, for: key) } ?? fresh
    return (exchange, exchange === fresh)
  }

  /// Removes an exchange, so that no further load joins it.
  func end(_ exchange: SharedExchange) {
    inFlight.withLock { $0.end(exchange, for: exchange.key) }
  }

  /// Records that the resources at some URLs may have changed.
  func advance(_ urls: [URL]) {
    let urls = urls.map(\.normalizedText)
    generations.withLock { generations in for url in urls { generations.advance(url) } }
  }

  /// Records that any resource may have changed.
  func advanceAll() { generations.withLock { $0.advanceAll() } }

  /// Returns the number of the last change at a URL.
  func generation(of url: URL) -> Int { generations.withLock { $0.generation(of: url) } }
}
