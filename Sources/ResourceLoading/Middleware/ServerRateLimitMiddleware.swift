import Foundation
import ResourcePrimitives
import Synchronization

/// Sends no more requests than a server says that it will accept, so that it needn't refuse any.
///
/// Servers announce how many requests are left, and until when: by `RateLimit` and
/// `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), by the older `RateLimit-Remaining`
/// and `RateLimit-Reset`, or by `X-RateLimit-…`. When none are left, further requests to the host
/// wait until there are, and so they do after a 429 or 503 with `Retry-After`. Requests in flight
/// are taken as not counted yet.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), authentication, ServerRateLimitMiddleware()]
/// }
/// ```
///
/// Servers count for each account, as a rule: use one for each, and put it inside of
/// ``RetryMiddleware`` and authentication. A load that waits can be cancelled, and its time limit
/// counts.
public final class ServerRateLimitMiddleware: PredictableMiddleware {
  private let maximumWait: Duration
  private let state = Mutex(ServerRateLimits())

  /// Creates a middleware that heeds the limits of servers. Clients that are given the same one
  /// share what they know.
  ///
  /// - Parameter maximumWait: The longest wait. If a server asks for more, the request is sent, and
  ///   the server decides.
  public init(maximumWait: Duration = .seconds(60)) { self.maximumWait = maximumWait }

  /// Waits until the server accepts requests, and sends the request on.
  ///
  /// - Throws: What the next middleware throws, or `CancellationError` if the load is over.
  public func respond(to request: Request, next: Next) async throws -> Response {
    let origin = request.url.origin
    var isQueued = false
    while let wait = wait(origin, at: next.clock.now()) {
      if !isQueued { next.report(.queued) }
      isQueued = true
      try await next.sleep(for: wait)
    }
    var limits: [ServerRateLimits.Limit]?
    defer { state.withLock { $0.end(origin, limits, at: next.clock.now()) } }
    let response = try await next(request)
    limits = ServerRateLimits.announced(in: response, at: next.date)
    return response
  }

  private func wait(_ origin: Origin, at now: Duration) -> Duration? {
    state.withLock { $0.begin(origin, at: now, maximumWait: maximumWait) }
  }
}

/// What servers have said about the requests that they accept. The owner holds the lock.
struct ServerRateLimits: Sendable {
  private var hosts: [Origin: Host] = [:]

  private struct Host {
    private(set) var inFlight = 0
    /// By the names of their policies.
    private var limits: [String: Window] = [:]

    /// Counts a request, unless it has to wait for the returned time.
    mutating func begin(at now: Duration, maximumWait: Duration) -> Duration? {
      for (name, var window) in limits {
        limits[name] = window.advance(to: now) ? window : nil
      }
      let wait = limits.values.lazy.filter { $0.remaining <= 0 }.map { $0.end - now }.max()
      if let wait, wait <= maximumWait { return wait }
      inFlight += 1
      for name in limits.keys { limits[name]?.remaining -= 1 }
      return nil
    }

    mutating func end(_ announced: [Limit]?, at now: Duration) {
      inFlight -= 1
      for limit in announced ?? [] {
        limits[limit.name] = Window(
          remaining: max(0, limit.remaining - inFlight), end: now + limit.reset.countable,
          limit: limit)
      }
    }
  }

  /// One limit as a server announces it.
  struct Limit: Hashable, Sendable {
    /// The name of the policy; empty if there is only one.
    var name = ""
    /// The number of requests that are left.
    var remaining: Int
    /// The time until there are more.
    var reset: Duration
    /// The number of requests in each window; `nil` if it isn't known.
    var quota: Int?
    /// The length of a window; `nil` if it isn't known.
    var window: Duration?
  }

  /// A limit on the client's clock.
  private struct Window {
    var remaining: Int
    var end: Duration
    var limit: Limit

    /// Begins the next window, if this one is over.
    ///
    /// - Returns: Whether anything is known about it.
    mutating func advance(to now: Duration) -> Bool {
      guard end <= now else { return true }
      guard let quota = limit.quota, let window = limit.window, window > .zero else { return false }
      remaining = quota
      end = now + window
      return true
    }
  }
}

extension ServerRateLimits {
  /// The most hosts that are remembered; then those without requests in flight begin anew.
  private static var maximumHosts: Int { 1000 }

  /// Counts a request that is to be sent.
  ///
  /// - Returns: The time that it has to wait, after which it asks again; `nil` if it is sent.
  mutating func begin(_ origin: Origin, at now: Duration, maximumWait: Duration) -> Duration? {
    if hosts.count >= Self.maximumHosts, hosts[origin] == nil {
      hosts = hosts.filter { $0.value.inFlight > 0 }
    }
    return hosts[origin, default: Host()].begin(at: now, maximumWait: maximumWait)
  }

  /// Records that a request has ended.
  ///
  /// - Parameter limits: What the server announces; `nil` if there was no response.
  mutating func end(_ origin: Origin, _ limits: [Limit]?, at now: Duration) {
    hosts[origin]?.end(limits, at: now)
  }
}
