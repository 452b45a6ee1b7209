import PromiseModule
import ResourcePrimitives
import Synchronization

/// Limits the number of requests that are sent in a span of time, to each host or in total.
///
/// In no span of that length are more requests sent on than the limit says. Further requests wait,
/// first come, first served, by the client's clock; a host whose turn it isn't holds up no other. A
/// load that waits can be cancelled, and its time limit counts.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [
///     RetryMiddleware(), RateLimitMiddleware(100, per: .seconds(60)),
///     RateLimitMiddleware(1, per: .milliseconds(50)),
///   ]
/// }
/// ```
///
/// The second one of these spaces the requests evenly. Put limits inside of ``RetryMiddleware``, so
/// that each attempt counts. Redirects aren't counted, nor are loads of a middleware by
/// ``Next/bypass``.
public final class RateLimitMiddleware: PredictableMiddleware {
  private typealias Limiter = SlidingWindowLimiter<Promise<Void>.Resolver>

  private let scope: Scope
  private let state: Mutex<Limiter>

  /// The requests that are counted together.
  public enum Scope: Sendable {
    /// The requests to each origin by themselves.
    case eachHost
    /// All requests.
    case allHosts
  }

  /// Creates a limit. Clients that are given the same one share it.
  ///
  /// - Parameters:
  ///   - count: The most requests in any span of time, at least 1.
  ///   - duration: The length of the span, more than zero.
  ///   - scope: The requests that are counted together.
  public init(_ count: Int, per duration: Duration, of scope: Scope = .eachHost) {
    precondition(count > 0, "a limit leaves room for at least one request")
    precondition(duration > .zero, "a limit needs a span of time")
    self.scope = scope
    state = Mutex(Limiter(count, per: duration))
  }

  /// Waits for a turn and sends the request on.
  ///
  /// - Throws: What the next middleware throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    try await waitForTurn(scope == .allHosts ? nil : request.url.origin, next)
    return try await next(request)
  }
}

extension RateLimitMiddleware {
  /// Waits until a request may be sent.
  private func waitForTurn(_ origin: Origin?, _ next: Next) async throws {
    guard let (ticket, turn) = enqueue(origin, at: next.context.clock.now()) else { return }
    // Even if the load is cancelled while it is the first.
    defer { state.withLock { $0.leave(ticket) }?.fulfill() }
    next.report(.queued)
    if let turn { try await turn.get() }
    try Task.checkCancellation()
    while let pause = pause(ticket, at: next.context.clock.now()) {
      try await next.sleep(for: pause)
    }
  }

  private func pause(_ ticket: Limiter.Ticket, at now: Duration) -> Duration? {
    state.withLock { $0.pause(ticket, at: now) }
  }

  /// - Returns: The ticket of a request that has to wait, and the promise to wait for unless it is
  ///   the first; `nil` if it may be sent at once.
  private func enqueue(
    _ origin: Origin?, at now: Duration
  ) -> (ticket: Limiter.Ticket, turn: Promise<Void>?)? {
    state.withLock { state in
      if state.enter(origin, at: now) { return nil }
      let (promise, resolver) = Promise<Void>.pending()
      let (ticket, isFirst) = state.wait(for: origin, resolver)
      return (ticket, isFirst ? nil : promise)
    }
  }
}

/// The state machine of a limit: which requests may be sent, and which wait. The owner holds the
/// lock.
///
/// Of the requests that wait for a host only the first watches the clock; when it goes or leaves,
/// the next one does.
struct SlidingWindowLimiter<Waiter: Sendable>: Sendable {
  private let newWindow: SlidingWindow
  private var hosts: [Origin?: Host] = [:]
  private var keptCount = 0

  private struct Host {
    var window: SlidingWindow
    var waiting = FairQueue<Waiter>()
  }

  init(_ count: Int, per duration: Duration) {
    newWindow = SlidingWindow(count, per: duration)
  }
}

extension SlidingWindowLimiter {
  /// Lets a request be sent at once.
  ///
  /// - Returns: Whether it may; otherwise it has to wait.
  mutating func enter(_ origin: Origin?, at now: Duration) -> Bool {
    guard hosts[origin]?.waiting.isEmpty ?? true else { return false }
    forgetIdleHosts(at: now)
    return hosts[origin, default: Host(window: newWindow)].window.enter(at: now) == nil
  }

  /// Lets a request wait that couldn't enter.
  ///
  /// - Returns: Its ticket, and whether it is the first, which watches the clock.
  mutating func wait(
    for origin: Origin?, _ waiter: Waiter
  ) -> (ticket: Ticket, isFirst: Bool) {
    let waiter = hosts[origin, default: Host(window: newWindow)].waiting.append(waiter)
    return (
      Ticket(origin: origin, waiter: waiter), hosts[origin]?.waiting.isFirst(waiter) ?? true
    )
  }

  /// Identifies a request that waits.
  struct Ticket: Hashable, Sendable {
    fileprivate var origin: Origin?
    fileprivate var waiter: FairQueue<Waiter>.Ticket
  }

  /// Lets the first request that waits be sent, if it is time.
  ///
  /// - Returns: The time that it has to wait; `nil` if it may go. Either way it leaves at the end.
  mutating func pause(_ ticket: Ticket, at now: Duration) -> Duration? {
    hosts[ticket.origin]?.window.enter(at: now)
  }

  /// Takes out a request that waited, whether it is sent or given up.
  ///
  /// - Returns: The waiter that is the first now, if that was the first.
  mutating func leave(_ ticket: Ticket) -> Waiter? {
    let wasFirst = hosts[ticket.origin]?.waiting.isFirst(ticket.waiter) ?? false
    hosts[ticket.origin]?.waiting.remove(ticket.waiter)
    return wasFirst ? hosts[ticket.origin]?.waiting.first : nil
  }

  /// The number of hosts that it remembers.
  var hostCount: Int { hosts.count }

  /// Forgets hosts whose windows are empty, each time that the number of hosts has doubled.
  private mutating func forgetIdleHosts(at now: Duration) {
    guard hosts.count > 2 * keptCount + 64 else { return }
    hosts = hosts.filter { !$0.value.waiting.isEmpty || !$0.value.window.isEmpty(at: now) }
    keptCount = hosts.count
  }
}

/// The times of the last events, to limit their number in any span of time.
struct SlidingWindow: Sendable {
  private let count: Int
  private let duration: Duration
  /// At most `count`, as a ring once there are so many.
  private var times: [Duration] = []
  private var oldest = 0

  init(_ count: Int, per duration: Duration) {
    self.count = count
    self.duration = duration.countable
  }
}

extension SlidingWindow {
  /// Adds an event, if there is room for one.
  ///
  /// - Returns: The time until there is room; `nil` if there was.
  mutating func enter(at now: Duration) -> Duration? {
    guard times.count == count else {
      times.append(now)
      return nil
    }
    // A time in the future is that of another clock, which is ahead of this one. It counts as the
    // present.
    times[oldest] = min(times[oldest], now)
    let end = times[oldest] + duration
    guard end <= now else { return end - now }
    times[oldest] = now
    oldest = (oldest + 1) % count
    return nil
  }

  /// Returns whether no event is within the span before a time.
  func isEmpty(at now: Duration) -> Bool { times.allSatisfy { $0 + duration <= now } }
}
