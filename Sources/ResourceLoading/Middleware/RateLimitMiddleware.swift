import PromiseModule
import ResourcePrimitives
import Synchronization

/// Limits the number of requests in a span of time, per host or in total.
///
/// No span of that length has more requests than the limit. Further requests wait in the order of
/// arrival, measured by the client's clock. A host at its limit doesn't delay other hosts. A
/// waiting load can be cancelled, and its time limit applies.
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
/// The second limit in this example spaces the requests evenly. Put limits after
/// ``RetryMiddleware``, so that each attempt is counted. Redirects aren't counted, and neither are
/// loads of a middleware by ``Next/bypass``.
public final class RateLimitMiddleware: PredictableMiddleware {
  private typealias Limiter = SlidingWindowLimiter<Promise<Void>.Resolver>

  private let scope: Scope
  private let state: Mutex<Limiter>

  /// The requests that are counted together.
  public enum Scope: Sendable {
    /// The requests to each origin are counted separately.
    case eachHost
    /// All requests are counted together.
    case allHosts
  }

  /// Creates a limit. Clients with the same instance share it.
  ///
  /// - Parameters:
  ///   - count: The most requests in any such span, at least 1.
  ///   - duration: The length of the span, more than zero.
  ///   - scope: The requests that are counted together.
  public init(_ count: Int, per duration: Duration, of scope: Scope = .eachHost) {
    precondition(count > 0, "a limit must allow at least one request")
    precondition(duration > .zero, "a limit needs a span of time")
    self.scope = scope
    state = Mutex(Limiter(count, per: duration))
  }

  /// Waits for a turn and passes on the request.
  ///
  /// - Throws: What the next middleware throws, or `CancellationError` if the load has ended.
  public func respond(to request: Request, next: Next) async throws -> Response {
    try await waitForTurn(scope == .allHosts ? nil : request.url.origin, next)
    return try await next(request)
  }
}

extension RateLimitMiddleware {
  private func waitForTurn(_ origin: Origin?, _ next: Next) async throws {
    guard let (ticket, turn) = enqueue(origin, at: next.context.clock.now()) else { return }
    // Runs even if the load is cancelled while it is the first.
    defer { state.withLock { $0.leave(ticket) }?.fulfill() }
    next.report(.queued)
    if let turn { try await turn.get() }
    try next.context.checkEnd()
    while let pause = pause(ticket, at: next.context.clock.now()) {
      try await next.sleep(for: pause)
    }
  }

  private func pause(_ ticket: Limiter.Ticket, at now: Duration) -> Duration? {
    state.withLock { $0.pause(ticket, at: now) }
  }

  /// Returns the ticket of a request that has to wait, and the promise to wait for unless it is
  /// first; `nil` if it may be sent at once.
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

/// The state machine of a limit, which knows the latest requests and the waiting ones. The owner
/// holds the lock.
///
/// Only the first waiting request of a host watches the clock. When it is sent or leaves, the next
/// one does.
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
  /// Enters a request that may be sent at once; returns `false` if it has to wait.
  mutating func enter(_ origin: Origin?, at now: Duration) -> Bool {
    guard hosts[origin]?.waiting.isEmpty ?? true else { return false }
    forgetIdleHosts(at: now)
    return hosts[origin, default: Host(window: newWindow)].window.enter(at: now) == nil
  }

  /// Adds a request that couldn't enter. Returns its ticket, and whether it is the first, which has
  /// to watch the clock.
  mutating func wait(
    for origin: Origin?, _ waiter: Waiter
  ) -> (ticket: Ticket, isFirst: Bool) {
    let waiter = hosts[origin, default: Host(window: newWindow)].waiting.append(waiter)
    return (
      Ticket(origin: origin, waiter: waiter), hosts[origin]?.waiting.isFirst(waiter) ?? true
    )
  }

  /// Identifies a waiting request.
  struct Ticket: Hashable, Sendable {
    fileprivate var origin: Origin?
    fileprivate var waiter: FairQueue<Waiter>.Ticket
  }

  /// Enters the first waiting request if it may be sent now; otherwise returns the time that it has
  /// to wait. In both cases it has to leave at the end.
  mutating func pause(_ ticket: Ticket, at now: Duration) -> Duration? {
    hosts[ticket.origin]?.window.enter(at: now)
  }

  /// Removes a waiting request, whether sent or cancelled, and returns the waiter that is now first
  /// if the removed one was.
  mutating func leave(_ ticket: Ticket) -> Waiter? {
    let wasFirst = hosts[ticket.origin]?.waiting.isFirst(ticket.waiter) ?? false
    hosts[ticket.origin]?.waiting.remove(ticket.waiter)
    return wasFirst ? hosts[ticket.origin]?.waiting.first : nil
  }

  var hostCount: Int { hosts.count }

  /// Removes hosts with empty windows each time the number of hosts has doubled.
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
  /// At most `count`. When full, it is a ring buffer.
  private var times: [Duration] = []
  private var oldest = 0

  init(_ count: Int, per duration: Duration) {
    self.count = count
    self.duration = duration.countable
  }
}

extension SlidingWindow {
  /// Adds an event if the limit allows it; otherwise returns the time until it does.
  mutating func enter(at now: Duration) -> Duration? {
    guard times.count == count else {
      times.append(now)
      return nil
    }
    // A time in the future comes from another clock, which is ahead of this one. It is treated as
    // the present.
    times[oldest] = min(times[oldest], now)
    let end = times[oldest] + duration
    guard end <= now else { return end - now }
    times[oldest] = now
    oldest = (oldest + 1) % count
    return nil
  }

  func isEmpty(at now: Duration) -> Bool { times.allSatisfy { $0 + duration <= now } }
}
