import PromiseModule
import Synchronization

/// Lets identical loads that are in flight at the same time share one exchange.
///
/// Identical loads are `GET` and `HEAD` requests without a body that agree in everything: URL, headers, options, and the
/// credentials and cookies that the stages behind would add (`Middleware.credentialed(_:next:)`). The
/// response is shared, and so is a failure; each load checks and parses it for itself. Nothing is kept: a load that begins
/// after the response has come is sent anew.
///
/// Each load can be cancelled, and can run out of time, without disturbing the others. When the last of them
/// has left, the exchange is cancelled. The stages behind this one see the time that the most patient of them
/// has left.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [CoalescingMiddleware(), RetryMiddleware(), authentication]
/// }
/// ```
///
/// Put it in front of middleware that waits or repeats, so that this is done once for all loads.
public struct CoalescingMiddleware: Middleware {
  private let exchanges = SharedExchanges()

  /// Makes a middleware that coalesces.
  public init() {}

  /// Always `true`.
  public var isTransparent: Bool { true }

  /// Waits for an identical load in flight, or sends the request on for all that come while it is.
  ///
  /// - Throws: What comes behind throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard Self.canShare(request), next.context.destination == nil
    else { return try await next(request) }
    while true {
      if let outcome = try await share(request, next) { return try outcome.result.get() }
    }
  }

  /// Returns whether a request may be answered by the response of another one.
  static func canShare(_ request: Request) -> Bool {
    [.get, .head].contains(request.method) && request.body == nil
  }

  /// Returns the outcome of a shared exchange; `nil` if the last load that waited for it left at this moment.
  ///
  /// - Throws: `CancellationError` if the load is over. The failure of the exchange is part of the outcome.
  private func share(
    _ request: Request, _ next: Next
  ) async throws -> SharedExchange.Outcome? {
    let (shared, isNew) = exchanges.join(request, next)
    let ticket = shared.add(next.context)
    defer { shared.remove(ticket) }
    var isTold = isNew
    if isNew { shared.start(next) { [exchanges] in exchanges.end(shared) } }
    do {
      // Reported only when this load keeps the exchange alive by itself: from then on the others may leave.
      let outcome = try await next.context.wait(forShared: shared.promise) {
        if !isTold { next.report(.coalesced) }
        isTold = true
      }
      if !isTold { next.report(.coalesced) }
      next.context.unfollow()
      return outcome
    } catch {
      // The exchange was given up, and no load may join it any more.
      exchanges.end(shared)
      try next.context.checkEnd()
      return nil
    }
  }
}

/// An exchange that several loads wait for, in a task of its own.
final class SharedExchange: Sendable {
  /// The outcome. It is a class, since all waiting loads get it.
  final class Outcome: Sendable {
    let result: Result<Response, any Error>

    init(_ result: Result<Response, any Error>) { self.result = result }
  }

  let key: SharingKey
  private let request: Request
  /// The promise of the outcome. It is rejected only if all waiting loads have left.
  let promise: Promise<Outcome>
  private let resolver: Promise<Outcome>.Resolver
  private let context: LoadContext
  private let waiters: Waiters

  /// Makes an exchange that isn't started yet, for the load that came first.
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
  /// Sends the request on.
  ///
  /// - Parameter ended: Called before the promise is fulfilled.
  func start(_ next: Next, ended: @escaping @Sendable () -> Void) {
    let next = next.on(behalfOf: context)
    let task = Task.startingHere { [self] in
      let result: Result<Response, any Error>
      do { result = .success(try await next(request)) } catch { result = .failure(error) }
      ended()
      resolver.fulfill(Outcome(result))
    }
    resolver.onCancel { task.cancel() }
  }

  /// Adds a waiting load: the exchange gets its time, too, and works on its behalf.
  ///
  /// - Returns: The ticket by which it is removed.
  func add(_ load: LoadContext) -> Ticket {
    context.extend(to: load.deadline)
    load.follow(context)
    return waiters.add(load)
  }

  /// Removes a load.
  func remove(_ ticket: Ticket) { waiters.remove(ticket) }

  typealias Ticket = FairQueue<LoadContext>.Ticket
}

extension SharedExchange {
  /// The waiting loads. Events are reported on behalf of the one that has waited longest, progress to all.
  private final class Waiters: Sendable {
    private let queue = Mutex(FairQueue<LoadContext>())

    var first: LoadContext? { queue.withLock(\.first) }

    var wantsProgress: Bool { queue.withLock { $0.contains { $0.progress != nil } } }

    func tell(_ progress: TransferProgress) {
      for load in queue.withLock({ Array($0) }) { load.progress?(progress) }
    }

    func add(_ load: LoadContext) -> Ticket { queue.withLock { $0.append(load) } }

    func remove(_ ticket: Ticket) {
      // Freed outside of the lock.
      let load = queue.withLock { $0.remove(ticket) }
      withExtendedLifetime(load) {}
    }
  }
}

/// The exchanges in flight that loads share.
final class SharedExchanges: Sendable {
  private let inFlight = Mutex(InFlight<SharingKey, SharedExchange>())

  /// Returns the exchange for a request: the one in flight, or a new one that the caller has to start.
  func join(_ request: Request, _ next: Next) -> (exchange: SharedExchange, isNew: Bool) {
    // With its credentials, so that a load that begins after a sign-in shares nothing with one that began before.
    let key = SharingKey(next.predicted(request), at: next.stage)
    if let exchange = inFlight.withLock({ $0[key] }) { return (exchange, false) }
    let fresh = SharedExchange(request, key, for: next.context)
    let exchange = inFlight.withLock { $0.begin(fresh, for: key) } ?? fresh
    return (exchange, exchange === fresh)
  }

  /// Removes an exchange, so that no load joins it any more.
  func end(_ exchange: SharedExchange) {
    inFlight.withLock { $0.end(exchange, for: exchange.key) }
  }
}
