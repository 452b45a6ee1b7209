import Foundation
import ResourcePrimitives
import Synchronization

/// Keeps to the limits that servers announce, so that they needn't refuse requests.
///
/// Servers announce how many requests are left, and until when, by `RateLimit` and
/// `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), the older `RateLimit-Remaining` and
/// `RateLimit-Reset`, or `X-RateLimit-…`. When none are left, further requests to the host wait for
/// the next period. They also wait after a 429 or 503 with `Retry-After`. The requests in flight are
/// subtracted from what a response announces.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), authentication, ServerRateLimitMiddleware()]
/// }
/// ```
///
/// Servers usually count by account: use one instance for each account, and put it after
/// ``RetryMiddleware`` and authentication. A waiting load can be cancelled, and its timeout counts.
public final class ServerRateLimitMiddleware: PredictableMiddleware {
  private let maximumWait: Duration
  private let state = Mutex(ServerRateLimits())

  /// Creates a middleware that keeps to the limits of servers. Clients with the same instance share
  /// what servers have announced.
  ///
  /// - Parameter maximumWait: The longest wait. If a server asks for a longer one, the request is
  ///   sent, and the server decides.
  public init(maximumWait: Duration = .seconds(60)) { self.maximumWait = maximumWait }

  /// Waits until the server accepts requests, and passes on the request.
  ///
  /// - Throws: What the next middleware throws, or `CancellationError` if the load has ended.
  public func respond(to request: Request, next: Next) async throws -> Response {
    let origin = request.url.origin
    let number = try await turn(origin, next)
    var limits: [ServerRateLimits.Limit]?
    defer { state.withLock { $0.end(number, origin, limits, at: next.clock.now()) } }
    let response = try await next(request)
    limits = ServerRateLimits.announced(in: response, at: next.date)
    return response
  }

  /// Waits until a request may be sent, and returns its number.
  private func turn(_ origin: Origin, _ next: Next) async throws -> Int {
    var isQueued = false
    while true {
      let now = next.clock.now()
      switch state.withLock({ $0.begin(origin, at: now, maximumWait: maximumWait) }) {
      case .begins(let number): return number
      case .waits(let time):
        if !isQueued { next.report(.queued) }
        isQueued = true
        try await next.sleep(for: time)
      }
    }
  }
}

/// The limits that servers have announced. The owner holds the lock.
struct ServerRateLimits: Sendable {
  private var hosts: [Origin: Host] = [:]

  private struct Host {
    private(set) var inFlight = 0
    /// The number of the latest request.
    private var latest = 0
    /// By the name of the policy.
    private var limits: [String: Window] = [:]

    /// The most policies of a host, which could name others with each response. Then those are
    /// forgotten that end first.
    private static let maximumPolicies = 32

    mutating func begin(at now: Duration, maximumWait: Duration) -> Turn {
      for (name, var window) in limits {
        limits[name] = window.advance(to: now, latest) ? window : nil
      }
      let wait = limits.values.lazy.filter { $0.remaining <= 0 }.map { $0.end - now }.max()
      if let wait, wait <= maximumWait { return .waits(wait) }
      (inFlight, latest) = (inFlight + 1, latest + 1)
      for name in limits.keys { limits[name]?.remaining -= 1 }
      return .begins(latest)
    }

    mutating func end(_ number: Int, _ announced: [Limit]?, at now: Duration) {
      inFlight -= 1
      for limit in announced ?? [] {
        var window = Window(
          remaining: max(0, limit.remaining - inFlight), end: now + limit.reset.countable,
          firstEnd: now + limit.reset.countable, limit: limit, latest: latest)
        // Responses needn't arrive in the order in which the server counted.
        if let known = limits[limit.name] {
          if known.isSame(as: window) {
            window.remaining = min(known.remaining, window.remaining)
            window.end = max(known.end, window.end)
            window.firstEnd = known.firstEnd
          } else if number <= known.latest, window.end < known.end {
            continue
          }
        } else if limits.count >= Self.maximumPolicies,
          let first = limits.min(by: { $0.value.end < $1.value.end })
        {
          limits[first.key] = nil
        }
        limits[limit.name] = window
      }
    }
  }

  /// A limit as announced.
  struct Limit: Hashable, Sendable {
    /// The name of the policy; empty if there is only one.
    var name = ""
    /// The number of requests left.
    var remaining: Int
    /// The time until there are more.
    var reset: Duration
    /// The number of requests in each window; `nil` if unknown.
    var quota: Int?
    /// The length of a window; `nil` if unknown.
    var window: Duration?
  }

  /// A limit on the client's clock.
  private struct Window {
    var remaining: Int
    /// The latest end that a response has announced.
    var end: Duration
    /// The end by the first response.
    var firstEnd: Duration
    var limit: Limit
    /// The number of the latest request when this was known. Responses to earlier requests may be of
    /// an earlier window.
    var latest: Int

    /// Whether the windows end at the same time, which servers round to seconds.
    func isSame(as other: Window) -> Bool {
      max(firstEnd, other.end) - min(firstEnd, other.end) <= .seconds(1)
    }

    /// Begins the next window if this one is over. Returns `false` if nothing is known about that,
    /// or if it would allow no request: without one, no response could ever change that.
    mutating func advance(to now: Duration, _ latest: Int) -> Bool {
      guard end <= now else { return true }
      guard let quota = limit.quota, quota > 0, let window = limit.window, window > .zero else {
        return false
      }
      remaining = quota
      (end, firstEnd) = (now + window, now + window)
      self.latest = latest
      return true
    }
  }
}

extension ServerRateLimits {
  /// The most hosts that are remembered; one more clears those without requests in flight.
  private static var maximumHosts: Int { 1000 }

  /// Whether a request may be sent.
  enum Turn: Hashable, Sendable {
    /// It is counted, and has this number.
    case begins(Int)
    /// It has to wait for this time before it asks again.
    case waits(Duration)
  }

  /// Counts a request if it may be sent.
  mutating func begin(_ origin: Origin, at now: Duration, maximumWait: Duration) -> Turn {
    if hosts.count >= Self.maximumHosts, hosts[origin] == nil {
      hosts = hosts.filter { $0.value.inFlight > 0 }
    }
    return hosts[origin, default: Host()].begin(at: now, maximumWait: maximumWait)
  }

  /// Records the end of a request and the limits in its response; `nil` without a response.
  mutating func end(_ number: Int, _ origin: Origin, _ limits: [Limit]?, at now: Duration) {
    hosts[origin]?.end(number, limits, at: now)
  }
}
