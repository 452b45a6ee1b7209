import Foundation
import PromiseModule
import ResourcePrimitives
import Synchronization

/// Limits the number of requests in flight, per host and in total.
///
/// Further requests wait for their turn. The most urgent one goes first
/// (``Request/Options/priority``), and equally urgent ones go in the order of arrival. A host at
/// its limit doesn't delay other hosts. A waiting load can be cancelled, and its time limit
/// applies.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), ConcurrencyLimitMiddleware(maximumRequestsPerHost: 4)]
/// }
/// ```
///
/// Put it after ``RetryMiddleware``, so that a load that waits for its next attempt doesn't occupy
/// a slot. Loads of a middleware by ``Next/bypass``, such as that of a new token, aren't counted
/// and don't wait.
public final class ConcurrencyLimitMiddleware: PredictableMiddleware {
  private typealias Limiter = ConcurrencyLimiter<Promise<Void>.Resolver>

  private let state: Mutex<Limiter>
  private let adaptive: AdaptiveLimits?
  package let requestsPerHost: Int?

  /// Creates a limit. Clients with the same instance share it.
  ///
  /// - Parameters:
  ///   - maximumRequestsPerHost: The most requests in flight to one origin; `nil` for no limit.
  ///   - maximumRequests: The most requests in flight in total; `nil` for no limit.
  public init(maximumRequestsPerHost: Int? = nil, maximumRequests: Int? = nil) {
    precondition(
      (maximumRequestsPerHost ?? 1) > 0 && (maximumRequests ?? 1) > 0,
      "a limit must allow at least one request")
    state = Mutex(Limiter(perHost: maximumRequestsPerHost, total: maximumRequests))
    adaptive = nil
    requestsPerHost = maximumRequestsPerHost
  }

  /// Creates a limit for each origin that follows the latency of its responses, so that requests
  /// wait here and not in an overloaded server.
  ///
  /// While responses are as fast as usual, the limit grows as it is used up. It shrinks when they
  /// get slower, and by a tenth when the server is too busy (429, 503) or doesn't answer. The first
  /// is the gradient of Netflix's concurrency-limits (`Gradient2Limit`), the second the
  /// multiplicative decrease of TCP. A load that has waited is sent only if it has enough time left
  /// for a response; otherwise it fails at once with ``LoadError/Kind/timedOut``. The latencies of
  /// downloads into files, streams and WebSockets don't count.
  ///
  /// - Parameters:
  ///   - range: The bounds of the limit, from 1 up. It starts at 20, or at the nearest bound.
  ///   - maximumRequests: The most requests in flight in total; `nil` for no limit.
  public init(adaptingRequestsPerHost range: ClosedRange<Int>, maximumRequests: Int? = nil) {
    precondition(
      range.lowerBound > 0 && (maximumRequests ?? 1) > 0,
      "a limit must allow at least one request")
    let adaptive = AdaptiveLimits(range)
    state = Mutex(Limiter(perHost: adaptive.first, total: maximumRequests))
    self.adaptive = adaptive
    requestsPerHost = range.upperBound
  }

  /// Waits for a turn and passes on the request.
  ///
  /// - Throws: What the next middleware throws, or `CancellationError` if the load has ended.
  public func respond(to request: Request, next: Next) async throws -> Response {
    let (ticket, turn) = enter(
      requestsPerHost != nil ? request.url.origin : nil, request.options.priority ?? .standard)
    // Runs even if the load is cancelled after getting its turn and before using it.
    defer { leave(ticket) }
    if let turn { try await Self.wait(for: turn, next.context) }
    try next.context.checkEnd()
    guard let adaptive else { return try await next(request) }
    if turn != nil { try adaptive.checkTime(next.remainingTime, for: request.url.origin) }
    return try await adaptive.measured(next) {
      try await next(request)
    } adapt: { sample in
      adapt(request.url.origin, to: sample, adaptive)
    }
  }

  // Not inlined, because it would take space in the frame of every load in flight.
  /// Reports that the load is queued, and waits for its turn.
  @inline(never)
  private static func wait(for turn: Promise<Void>, _ context: LoadContext) async throws {
    context.report(.queued)
    try await turn.get()
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

  private func adapt(
    _ origin: Origin, to sample: AdaptiveLimits.Sample, _ adaptive: AdaptiveLimits
  ) {
    let entered = state.withLock { state in
      let (limit, forgotOthers) = adaptive.limit(
        of: origin, after: sample, inFlight: state.inFlight(to: origin))
      if forgotOthers { state.forgetLimits() }
      return state.setLimit(limit, of: origin)
    }
    for waiter in entered { waiter.fulfill() }
  }
}

/// The state machine of a limit, with the requests in flight and the waiting ones. The owner holds
/// the lock.
///
/// No request waits if it could be sent. Whenever one leaves, the most urgent one that may be sent
/// enters, or of several the one that has waited longest.
struct ConcurrencyLimiter<Waiter: Sendable>: Sendable {
  private let perHost: Int
  private let total: Int
  /// The adaptive limits of hosts; `perHost` for the others.
  private var limits: [Origin?: Int] = [:]
  private var inFlight = 0
  private var hosts: [Origin?: Host] = [:]
  /// The number of waiting requests, across all hosts.
  private var waiting = 0
  private var lastNumber = 0
  /// The first request of each host with a free slot, and outdated entries. It is used only for a
  /// total limit.
  private var candidates = Heap<Candidate>()

  private struct Host {
    var inFlight = 0
    /// The waiting requests by urgency, the lowest first, numbered in the order of arrival across
    /// all hosts. Most hosts have no queues, because no request to them has ever waited.
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

    /// The urgency and the number of the request that goes first, which is the first to arrive of
    /// the most urgent ones.
    var first: (urgency: Int, number: Int)? {
      queues.lastIndex { !$0.isEmpty }.map { ($0, queues[$0].first?.number ?? .max) }
    }
  }

  /// A request that may be the next to enter.
  private struct Candidate: Comparable {
    let urgency: Int
    let number: Int
    let origin: Origin?

    static func < (one: Self, other: Self) -> Bool {
      (-one.urgency, one.number) < (-other.urgency, other.number)
    }
  }

  typealias Queue = FairQueue<(number: Int, waiter: Waiter)>

  /// Identifies a request when it leaves.
  struct Ticket: Hashable, Sendable {
    fileprivate var origin: Origin?
    fileprivate var priority = Request.Priority.standard
    /// `nil` for a request that never waited.
    fileprivate var waiter: Queue.Ticket?
  }

  init(perHost: Int?, total: Int?) {
    self.perHost = perHost ?? .max
    self.total = total ?? .max
  }
}

extension ConcurrencyLimiter {
  /// Enters a request, and returns the ticket with which it leaves; `nil` if it has to wait.
  mutating func enter(_ origin: Origin?) -> Ticket? {
    guard inFlight < total,
      hosts[origin, default: Host()].enter(ifFewerThan: limit(of: origin))
    else { return nil }
    inFlight += 1
    return Ticket(origin: origin)
  }

  /// Adds a request that couldn't enter, and returns the ticket with which it leaves, before or
  /// after its turn.
  mutating func wait(
    for origin: Origin?, _ waiter: Waiter, _ priority: Request.Priority = .standard
  ) -> Ticket {
    (waiting, lastNumber) = (waiting + 1, lastNumber + 1)
    let ticket = hosts[origin, default: Host()].wait(priority, (lastNumber, waiter))
    if total != .max, let host = hosts.index(forKey: origin),
      hosts.values[host].first?.number == lastNumber
    {
      offer(host)
    }
    return Ticket(origin: origin, priority: priority, waiter: ticket)
  }

  /// Removes a request that is in flight or waiting, and returns the waiter that has entered in its
  /// place.
  mutating func leave(_ ticket: Ticket) -> Waiter? {
    guard let host = hosts.index(forKey: ticket.origin) else { return nil }
    defer { removeIfIdle(host) }
    if let waiter = ticket.waiter, remove(waiter, ticket.priority, at: host) { return nil }
    inFlight -= 1
    hosts.values[host].inFlight -= 1
    // Otherwise the host was among the candidates before, unless its limit has changed since.
    if hosts.values[host].inFlight == perHost - 1 || !limits.isEmpty { offer(host) }
    guard waiting > 0, let next = next(after: host) else { return nil }
    return enterFirst(of: next)
  }

  /// Returns the number of requests to a host that are in flight.
  func inFlight(to origin: Origin?) -> Int { hosts[origin]?.inFlight ?? 0 }

  /// Changes the limit of a host, and returns the waiters that have entered because it grew.
  mutating func setLimit(_ limit: Int, of origin: Origin?) -> [Waiter] {
    limits[origin] = limit
    var entered: [Waiter] = []
    while let host = hosts.index(forKey: origin), inFlight < total, isReady(host),
      let waiter = enterFirst(of: host)
    {
      entered.append(waiter)
    }
    // The total limit may have stopped it.
    if let host = hosts.index(forKey: origin) { offer(host) }
    return entered
  }

  /// Resets the limits of all hosts.
  mutating func forgetLimits() { limits = [:] }
}

extension ConcurrencyLimiter {
  private typealias Index = [Origin?: Host].Index

  private func limit(of origin: Origin?) -> Int {
    limits.isEmpty ? perHost : limits[origin] ?? perHost
  }

  /// Enters the first waiting request of a host, and returns it.
  private mutating func enterFirst(of host: Index) -> Waiter? {
    (inFlight, waiting) = (inFlight + 1, waiting - 1)
    hosts.values[host].inFlight += 1
    let entered = hosts.values[host].popFirst()
    offer(host)
    return entered
  }

  /// Removes a waiting request of a host; returns `false` if it is no longer waiting.
  private mutating func remove(
    _ waiter: Queue.Ticket, _ priority: Request.Priority, at host: Index
  ) -> Bool {
    let first = hosts.values[host].first?.number
    guard hosts.values[host].remove(waiter, priority) else { return false }
    waiting -= 1
    if hosts.values[host].first?.number != first { offer(host) }
    return true
  }

  /// Returns the host of the next request to enter after a request to a host has left.
  private mutating func next(after left: Index) -> Index? {
    // Without a total limit, only this host has a free slot.
    if total == .max { return isReady(left) ? left : nil }
    while let candidate = candidates.popFirst() {
      let isOfSame = candidate.origin == hosts[left].key
      // Other candidates have left, have entered, or wait behind a more urgent one.
      if let host = isOfSame ? left : hosts.index(forKey: candidate.origin), isReady(host),
        hosts.values[host].first?.number == candidate.number
      {
        return host
      }
    }
    return nil
  }

  /// Adds the first waiting request of a host to the candidates if the host has a free slot.
  private mutating func offer(_ host: Index) {
    guard total != .max, isReady(host) else { return }
    // Otherwise entries of requests that stop waiting would accumulate.
    if candidates.count > 2 * hosts.count + 64 {
      candidates = Heap(hosts.indices.filter(isReady).compactMap(candidate))
    } else if let candidate = candidate(host) {
      candidates.insert(candidate)
    }
  }

  private func candidate(_ host: Index) -> Candidate? {
    let (origin, host) = hosts[host]
    return host.first.map { Candidate(urgency: $0.urgency, number: $0.number, origin: origin) }
  }

  private func isReady(_ index: Index) -> Bool {
    hosts.values[index].isWaiting
      && hosts.values[index].inFlight < limit(of: hosts[index].key)
  }

  private mutating func removeIfIdle(_ host: Index) {
    if hosts.values[host].isIdle { hosts.remove(at: host) }
  }
}
