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
///     Retry(), RateLimit(100, per: .seconds(60)), RateLimit(1, per: .milliseconds(50)),
///   ]
/// }
/// ```
///
/// The second one of these spaces the requests evenly. Put limits inside of ``Retry``, so that each attempt
/// counts. Redirects aren't counted, nor is what a middleware loads by ``Next/bypass``.
public final class RateLimit: Middleware {
  private typealias Turn = Promise<Void>.Resolver
  private typealias Pace = ResourceLoading.Pace<Turn>

  private let scope: Scope
  private let state: Mutex<Pace>

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
    state = Mutex(Pace(count, per: duration))
  }

  /// Waits for a turn and sends the request on.
  ///
  /// - Throws: What comes behind throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    if !next.isDryRun {
      try await waitForTurn(scope == .allHosts ? "" : request.url.hostAndPort, next)
    }
    return try await next(request)
  }
}

extension RateLimit {
  private func waitForTurn(_ host: String, _ next: Next) async throws {
    guard let place = line(up: host, at: next.context.clock.now()) else { return }
    // Also if the load is cancelled while it is the first.
    defer { state.withLock { $0.leave(place.ticket) }?.fulfill() }
    next.report(.queued)
    if let turn = place.turn { try await next.context.wait(for: turn) }
    try next.context.checkEnd()
    while let pause = pause(place.ticket, at: next.context.clock.now()) {
      try await next.sleep(for: pause)
    }
  }

  private func pause(_ ticket: Pace.Ticket, at now: Duration) -> Duration? {
    state.withLock { $0.pause(ticket, at: now) }
  }

  /// - Returns: What it is known by that has to wait, and what to wait for unless it is the first; `nil` if it
  ///   may go at once.
  private func line(
    up host: String, at now: Duration
  ) -> (ticket: Pace.Ticket, turn: Promise<Void>?)? {
    state.withLock { state in
      if state.enter(host, at: now) { return nil }
      let (promise, resolver) = Promise<Void>.pending()
      let (ticket, isFirst) = state.wait(for: host, resolver)
      return (ticket, isFirst ? nil : promise)
    }
  }
}
