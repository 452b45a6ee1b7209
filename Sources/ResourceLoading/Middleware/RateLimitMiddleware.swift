import PromiseModule
import Synchronization

/// Bounds how many requests are sent in a span of time, to each host or in all.
///
/// In no span of that length are more requests sent on than the limit says. What exceeds it waits, first come,
/// first served, by the client's clock; a host whose turn it isn't holds up no other. A load that waits can be
/// cancelled, and its time limit counts.
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
/// The second one of these spaces the requests evenly. Put limits inside of ``RetryMiddleware``, so that each attempt
/// counts. Redirects aren't counted, nor is what a middleware loads by ``Next/bypass``.
public final class RateLimitMiddleware: Middleware {
  private typealias Limiter = SlidingWindowLimiter<Promise<Void>.Resolver>

  private let scope: Scope
  private let state: Mutex<Limiter>

  /// What a limit counts together.
  public enum Scope: Sendable {
    /// The requests to each host (and port) by themselves.
    case eachHost
    /// All requests.
    case allHosts
  }

  /// Makes a limit. Clients that are given the same one share it.
  ///
  /// - Parameters:
  ///   - count: How many requests are sent in any span of time, at least 1.
  ///   - duration: How long that span is, more than nothing.
  ///   - scope: Which requests are counted together.
  public init(_ count: Int, per duration: Duration, of scope: Scope = .eachHost) {
    precondition(count > 0, "a limit leaves room for at least one request")
    precondition(duration > .zero, "a limit needs a span of time")
    self.scope = scope
    state = Mutex(Limiter(count, per: duration))
  }

  /// `true`.
  public var isTransparent: Bool { true }

  /// Waits for a turn and sends the request on.
  ///
  /// - Throws: What comes behind throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    try await waitForTurn(scope == .allHosts ? nil : request.url.origin, next)
    return try await next(request)
  }
}

extension RateLimitMiddleware {
  /// Waits until a request may be sent.
  ///
  /// - Throws: `CancellationError` if the load is over.
  private func waitForTurn(_ origin: Origin?, _ next: Next) async throws {
    guard let (ticket, turn) = enqueue(origin, at: next.context.clock.now()) else { return }
    // Also if the load is cancelled while it is the first.
    defer { state.withLock { $0.leave(ticket) }?.fulfill() }
    next.report(.queued)
    if let turn { try await next.context.wait(for: turn) }
    try next.context.checkEnd()
    while let pause = pause(ticket, at: next.context.clock.now()) {
      try await next.sleep(for: pause)
    }
  }

  private func pause(_ ticket: Limiter.Ticket, at now: Duration) -> Duration? {
    state.withLock { $0.pause(ticket, at: now) }
  }

  /// - Returns: What a request that has to wait is identified by, and what to wait for unless it is the first; `nil` if
  ///   it may be sent at once.
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

/// Which requests may be sent and which wait, where only so many may be sent in a span of time; without the lock.
///
/// Of those that wait for a host only the first looks at the clock; as it goes or leaves, the next one does.
struct SlidingWindowLimiter<Waiter: Sendable>: Sendable {
  private let count: Int
  private let duration: Duration
  private var hosts: [Origin?: Host] = [:]
  private var keptCount = 0

  private struct Host {
    var window: SlidingWindow
    var waiting = FairQueue<Waiter>()
  }

  init(_ count: Int, per duration: Duration) {
    self.count = count
    self.duration = duration
  }
}

extension SlidingWindowLimiter {
  /// Lets a request be sent at once.
  ///
  /// - Returns: Whether it may; otherwise it has to wait.
  mutating func enter(_ origin: Origin?, at now: Duration) -> Bool {
    guard hosts[origin]?.waiting.isEmpty ?? true else { return false }
    forgetIdleHosts(at: now)
    return hosts[origin, default: Host(window: SlidingWindow(count, per: duration))]
      .window.enter(at: now) == nil
  }

  /// Lets a request wait that couldn't enter.
  ///
  /// - Returns: What it is identified by, and whether it is the first, who looks at the clock.
  mutating func wait(
    for origin: Origin?, _ waiter: Waiter
  ) -> (ticket: Ticket, isFirst: Bool) {
    let fresh = Host(window: SlidingWindow(count, per: duration))
    let waiter = hosts[origin, default: fresh].waiting.append(waiter)
    return (
      Ticket(origin: origin, waiter: waiter), hosts[origin]?.waiting.isFirst(waiter) ?? true
    )
  }

  /// What a request that waits is identified by.
  struct Ticket: Hashable, Sendable {
    fileprivate var origin: Origin?
    fileprivate var waiter: FairQueue<Waiter>.Ticket
  }

  /// Lets the first request that waits be sent, if it is time.
  ///
  /// - Returns: How long it has to wait; `nil` if it may go. Either way it leaves at the end.
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

  /// How many hosts it remembers.
  var hostCount: Int { hosts.count }

  /// Forgets hosts to which nothing was sent for long, each time that their number has doubled.
  private mutating func forgetIdleHosts(at now: Duration) {
    guard hosts.count > 2 * keptCount + 64 else { return }
    hosts = hosts.filter { !$0.value.waiting.isEmpty || !$0.value.window.isEmpty(at: now) }
    keptCount = hosts.count
  }
}

/// The times of the last events, so that there are never more than so many in a span of time.
struct SlidingWindow: Sendable {
  private let count: Int
  private let duration: Duration
  /// At most `count`; once there are as many, a ring.
  private var times: [Duration] = []
  private var oldest = 0

  init(_ count: Int, per duration: Duration) {
    self.count = count
    self.duration = duration
  }
}

extension SlidingWindow {
  /// Takes note of an event, if there is room for one.
  ///
  /// - Returns: How long it is until there is room; `nil` if there was.
  mutating func enter(at now: Duration) -> Duration? {
    guard times.count == count else {
      times.append(now)
      return nil
    }
    // A time to come is of another clock, which is ahead of this one. It counts as the present.
    times[oldest] = min(times[oldest], now)
    let end = times[oldest] + duration
    guard end <= now else { return end - now }
    times[oldest] = now
    oldest = (oldest + 1) % count
    return nil
  }

  /// Whether no event of the past bears on one at this time.
  func isEmpty(at now: Duration) -> Bool { times.allSatisfy { $0 + duration <= now } }
}
