import Foundation
import PromiseModule
import Synchronization

/// Limits the number of requests in flight, for each host and in total.
///
/// Further requests wait for their turn: the most urgent first (``Request/Options/priority``), and first come, first served
/// among equals; a host whose turn it isn't holds up no other.
/// A load that waits can be cancelled, and its time limit counts.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), ConcurrencyLimitMiddleware(perHost: 4)]
/// }
/// ```
///
/// Put it inside of ``RetryMiddleware``, so that a load that waits for its next attempt takes no turn. Loads of a
/// middleware by ``Next/bypass``, such as that of a new token, aren't counted and don't wait.
public final class ConcurrencyLimitMiddleware: Middleware {
  private typealias Limiter = ConcurrencyLimiter<Promise<Void>.Resolver>

  private let state: Mutex<Limiter>
  private let isPerHost: Bool

  /// Makes a limit. Clients that are given the same one share it.
  ///
  /// - Parameters:
  ///   - perHost: The most requests in flight to one origin; `nil` for any number.
  ///   - total: The most requests in flight; `nil` for any number.
  public init(perHost: Int? = nil, total: Int? = nil) {
    precondition(
      (perHost ?? 1) > 0 && (total ?? 1) > 0, "a limit leaves room for at least one request")
    state = Mutex(Limiter(perHost: perHost, total: total))
    isPerHost = perHost != nil
  }

  /// Always `true`.
  public var isTransparent: Bool { true }

  /// Waits for a turn and sends the request on.
  ///
  /// - Throws: What comes behind throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    let (ticket, turn) = enter(
      isPerHost ? request.url.origin : nil, request.options.priority ?? .standard)
    // Even if the load is cancelled between getting its turn and using it.
    defer { leave(ticket) }
    if let turn { try await Self.wait(for: turn, next.context) }
    try next.context.checkEnd()
    return try await next(request)
  }

  // Not inlined, since it would take space in the frame of every load in flight.
  /// Waits for a turn, and reports that.
  ///
  /// - Throws: `CancellationError` if the load is over.
  @inline(never)
  private static func wait(for turn: Promise<Void>, _ context: LoadContext) async throws {
    context.report(.queued)
    try await context.wait(for: turn)
  }

  private func enter(
    _ origin: Origin?, _ priority: Request.Priority
  ) -> (ticket: Limiter.Ticket, turn: Promise<Void>?) {
    state.withLock { state in
      if let ticket = state.enter(origin) { return (ticket, nil) }
      let (promise, resolver) = Promise<Void>.pending()
      return (state.wait(for: origin, resolver, priority), promise)
    }
  }

  private func leave(_ ticket: Limiter.Ticket) {
    state.withLock { $0.leave(ticket) }?.fulfill()
  }
}

/// The state machine of a limit: which requests are in flight, and which wait. The owner holds the lock.
///
/// No request waits that could be sent. Whenever one leaves, the most urgent one that may be sent enters, and of equally
/// urgent ones the one that has waited longest.
struct ConcurrencyLimiter<Waiter: Sendable>: Sendable {
  private let perHost: Int
  private let total: Int
  private var inFlight = 0
  private var hosts: [Origin?: Host] = [:]
  /// The number of waiting requests, across all hosts.
  private var waiting = 0
  private var lastNumber = 0

  private struct Host {
    var inFlight = 0
    /// The waiting requests by urgency, the lowest first, numbered in the order of arrival across all hosts. Most hosts
    /// have no queues, since no request to them has ever waited.
    private var queues: [Queue] = []

    var isIdle: Bool { inFlight == 0 && !isWaiting }

    var isWaiting: Bool { queues.contains { !$0.isEmpty } }

    mutating func wait(_ priority: Request.Priority, _ entry: Queue.Element) -> Queue.Ticket {
      if queues.isEmpty { queues = Request.Priority.allCases.map { _ in Queue() } }
      return queues[priority.rawValue].append(entry)
    }

    mutating func remove(_ ticket: Queue.Ticket, _ priority: Request.Priority) -> Bool {
      queues[priority.rawValue].remove(ticket) != nil
    }

    mutating func popFirst() -> Waiter? {
      guard let index = queues.lastIndex(where: { !$0.isEmpty }) else { return nil }
      return queues[index].popFirst()?.waiter
    }

    mutating func enter(ifFewerThan limit: Int) -> Bool {
      guard inFlight < limit else { return false }
      inFlight += 1
      return true
    }

    /// The request that goes first: of the most urgent ones the one that came first.
    var first: (urgency: Int, number: Int)? {
      queues.lastIndex { !$0.isEmpty }.map { ($0, queues[$0].first?.number ?? .max) }
    }
  }

  typealias Queue = FairQueue<(number: Int, waiter: Waiter)>

  /// Identifies a request, for leaving.
  struct Ticket: Hashable, Sendable {
    fileprivate var origin: Origin?
    fileprivate var priority = Request.Priority.standard
    /// `nil` for one that never waited.
    fileprivate var waiter: Queue.Ticket?
  }

  init(perHost: Int?, total: Int?) {
    self.perHost = perHost ?? .max
    self.total = total ?? .max
  }
}

extension ConcurrencyLimiter {
  /// Lets a request enter.
  ///
  /// - Returns: The ticket by which it leaves; `nil` if it has to wait.
  mutating func enter(_ origin: Origin?) -> Ticket? {
    guard inFlight < total, hosts[origin, default: Host()].enter(ifFewerThan: perHost) else {
      return nil
    }
    inFlight += 1
    return Ticket(origin: origin)
  }

  /// Lets a request wait that couldn't enter.
  ///
  /// - Returns: The ticket by which it leaves, whether it has had its turn by then or not.
  mutating func wait(
    for origin: Origin?, _ waiter: Waiter, _ priority: Request.Priority = .standard
  ) -> Ticket {
    (waiting, lastNumber) = (waiting + 1, lastNumber + 1)
    let waiter = hosts[origin, default: Host()].wait(priority, (lastNumber, waiter))
    return Ticket(origin: origin, priority: priority, waiter: waiter)
  }

  /// Takes out a request that is in flight or waits.
  ///
  /// - Returns: The waiter that has entered in its place.
  mutating func leave(_ ticket: Ticket) -> Waiter? {
    guard let host = hosts.index(forKey: ticket.origin) else { return nil }
    if let waiter = ticket.waiter, hosts.values[host].remove(waiter, ticket.priority) {
      waiting -= 1
      removeIfIdle(host)
      return nil
    }
    inFlight -= 1
    hosts.values[host].inFlight -= 1
    defer { removeIfIdle(host) }
    guard waiting > 0, let next = next(after: host) else { return nil }
    (inFlight, waiting) = (inFlight + 1, waiting - 1)
    hosts.values[next].inFlight += 1
    return hosts.values[next].popFirst()
  }
}

extension ConcurrencyLimiter {
  private typealias Index = [Origin?: Host].Index

  /// Returns the host of the request that goes first among those that may go, after one of a host has left.
  private func next(after left: Index) -> Index? {
    // Without a limit for all hosts there is new room for this one only.
    if total == .max { return isReady(left) ? left : nil }
    var (next, best): (Index?, (urgency: Int, number: Int)) = (nil, (-1, .max))
    for host in hosts.indices where isReady(host) {
      guard let first = hosts.values[host].first,
        (-first.urgency, first.number) < (-best.urgency, best.number)
      else { continue }
      (next, best) = (host, first)
    }
    return next
  }

  private func isReady(_ index: Index) -> Bool {
    let host = hosts.values[index]
    return host.isWaiting && inFlight < total && host.inFlight < perHost
  }

  private mutating func removeIfIdle(_ host: Index) {
    if hosts.values[host].isIdle { hosts.remove(at: host) }
  }
}
