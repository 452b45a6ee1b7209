#if Valkey && canImport(CResourceHiredis)
  internal import Foundation
  public import ResourceLoading
  internal import ResourcePrimitives

  /// Limits the number of requests in a span of time for all processes of a service together, per
  /// host or in total.
  ///
  /// No span of that length has more requests than the limit, by the clock of the server of Valkey
  /// or Redis. Further requests wait in the order of arrival. Each reserves its turn when it
  /// arrives, so it needs the server only once. A waiting load can be cancelled, and its time limit
  /// applies; a reserved turn is lost then.
  ///
  /// ```swift
  /// let limit = SharedRateLimitMiddleware(100, per: .seconds(60), on: server)
  /// let client = Client(baseURL: url) { $0.middleware = [RetryMiddleware(), limit] }
  /// ```
  ///
  /// While the server is unavailable, each process applies the limit to its own requests. So all
  /// processes together can exceed it then, and for the length of the span afterwards.
  ///
  /// See `RateLimitMiddleware` for its place in the list of middleware, and for what is counted.
  public final class SharedRateLimitMiddleware: PredictableMiddleware {
    private let server: ValkeyServer
    private let count: Int
    private let duration: Duration
    private let scope: RateLimitMiddleware.Scope
    private let name: String
    private let local: RateLimitMiddleware

    /// Creates a limit.
    ///
    /// - Parameters:
    ///   - count: The most requests in any such span, at least 1. The server keeps as many times.
    ///   - duration: The length of the span, at least a millisecond.
    ///   - scope: The requests that are counted together.
    ///   - name: Identifies the limit. Limits with different names, counts or durations are counted
    ///     separately.
    ///   - server: The server.
    public init(
      _ count: Int, per duration: Duration, of scope: RateLimitMiddleware.Scope = .eachHost,
      named name: String = "", on server: ValkeyServer
    ) {
      precondition(duration >= .milliseconds(1), "a shared limit needs at least a millisecond")
      self.server = server
      self.count = count
      self.duration = duration
      self.scope = scope
      self.name = name
      local = RateLimitMiddleware(count, per: duration, of: scope)
    }

    /// Waits for a turn and passes on the request.
    ///
    /// - Throws: What the next middleware throws, or `CancellationError` if the load has ended.
    public func respond(to request: Request, next: Next) async throws -> Response {
      guard let pause = try await turn(request, next) else {
        return try await local.respond(to: request, next: next)
      }
      if pause > .zero {
        next.report(.queued)
        try await next.sleep(for: pause)
      }
      return try await next(request)
    }
  }

  extension SharedRateLimitMiddleware {
    /// Takes the next turn, and returns the time until then; `nil` if the server is unavailable.
    private func turn(_ request: Request, _ next: Next) async throws -> Duration? {
      let text = "\(name) \(count) \(duration) \(scope == .allHosts ? "" : "\(request.url.origin)")"
      let hash = SecureHash.hexadecimal(SecureHash.sha256(text.utf8).prefix(16))
      let (key, count, span) = ("\(server.prefix):limit:\(hash)", count, duration.microseconds)
      let limit = next.remainingTime.map { max(0, $0.microseconds) } ?? -1
      do {
        // If the connection is lost, the turn may have been taken already.
        let replies = try await server.run(isRepeatable: false) { _ in
          [
            Command(
              Self.script, keys: [key],
              [.integer(Int64(count)), .integer(span), .integer(limit)])
          ]
        }
        return replies?.first?.integer.map { .microseconds($0) }
      } catch {
        try Task.checkCancellation()
        return nil
      }
    }

    /// Takes a turn. The times of the last turns, in microseconds, are a list; the latest one is the
    /// first.
    ///
    /// Keys: the list. Arguments: the number of turns in a span, the span, and the longest time to
    /// wait or -1, in microseconds. Returns the time until the turn. If that is longer, none is taken.
    private static let script = Script(
      """
      local count, span, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
      local now = redis.call('TIME')
      now = now[1] * 1000000 + now[2]
      local turn = now
      local oldest = tonumber(redis.call('LINDEX', KEYS[1], count - 1) or false)
      if oldest then turn = math.max(now, oldest + span) end
      -- After the clock was set back, the latest turn may be in the future. Turns stay in order.
      local latest = tonumber(redis.call('LINDEX', KEYS[1], 0) or false)
      if latest and latest > turn and latest <= now + count * span then turn = latest end
      if limit >= 0 and turn - now > limit then return turn - now end
      redis.call('LPUSH', KEYS[1], string.format('%.0f', turn))
      redis.call('LTRIM', KEYS[1], 0, count - 1)
      redis.call('PEXPIRE', KEYS[1], math.ceil((turn - now + span) / 1000))
      return turn - now
      """)
  }

  extension Duration {
    /// The whole microseconds, up to 300 years.
    fileprivate var microseconds: Int64 {
      Int64((min(self, .seconds(1e10)) / .microseconds(1)).rounded(.up))
    }
  }
#endif
