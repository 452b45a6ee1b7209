public import Foundation
import ResourcePrimitives

/// The time by which a piece of work has to be done, for all loads in it.
///
/// A service that has to answer within two seconds gives its loads no more than what is left of
/// them:
///
/// ```swift
/// let answer = try await Deadline.within(.seconds(2)) {
///   let user = try await users.load(.user(id))
///   return try await orders.load(.orders(of: user))
/// }
/// ```
///
/// The deadline belongs to the task, and to what it starts. A load begins with the rest of it as
/// its time limit, if that is shorter than ``Request/Options/timeout``, and fails with a
/// ``LoadError`` of kind ``LoadError/Kind/timedOut``. Work that outlives its caller isn't bound by
/// it: what a cache revalidates in the background, what an outbox sends, a shared renewal of a
/// token. A load that is shared by several callers goes on for the most patient of them.
public struct Deadline: Sendable {
  @TaskLocal private static var local: Deadline?

  private let moment: Duration
  private let clock: LoadClock

  /// The deadline of the current task; `nil` if it has none.
  public static var current: Deadline? { local }

  /// The remaining time; zero once it has passed.
  public var remaining: Duration { max(.zero, moment - clock.now()) }
}

extension Deadline {
  /// Runs some work with a deadline. Inside of another one, the earlier of the two counts.
  ///
  /// It bounds loads; work that doesn't load isn't stopped.
  ///
  /// - Parameters:
  ///   - duration: The time for the work; `nil` for no new deadline.
  ///   - clock: The clock that measures it.
  ///   - work: The work.
  /// - Returns: What the work returns.
  /// - Throws: What the work throws.
  public static func within<Value>(
    _ duration: Duration?, clock: some Clock<Duration> = ContinuousClock(),
    _ work: () async throws -> Value
  ) async rethrows -> Value {
    guard let duration, duration < current?.remaining ?? .century else { return try await work() }
    let clock = LoadClock(clock)
    let deadline = Deadline(moment: clock.now() + max(.zero, duration), clock: clock)
    return try await $local.withValue(deadline) { try await work() }
  }

  /// Runs something that begins work which isn't bound by the deadline of the current task.
  package static func withoutCurrent<Value>(_ body: () -> Value) -> Value {
    guard local != nil else { return body() }
    return $local.withValue(nil) { body() }
  }

  /// Returns the shorter one of a time limit and what is left of the current deadline.
  static func shorter(of timeout: Duration?) -> Duration? {
    guard let remaining = local?.remaining else { return timeout }
    return timeout.map { min($0, remaining) } ?? remaining
  }
}

extension Deadline {
  /// How a header has a deadline.
  public enum Format: Sendable {
    /// The time that is left, in whole milliseconds, such as `1250`.
    case milliseconds
    /// The date, as `2026-11-26T08:30:00.250Z`. It needs clocks that agree.
    case date

    /// Returns the time that a header leaves; `nil` if it can't be read.
    ///
    /// ```swift
    /// let left = Deadline.Format.milliseconds.remaining(in: request.headers["X-Time-Left"])
    /// try await Deadline.within(left) { try await handle(request) }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value of the header; `nil` if there is none.
    ///   - now: The current date.
    public func remaining(in value: String?, at now: Date = Date()) -> Duration? {
      guard let value = value?.trimmingSpaces() else { return nil }
      switch self {
      case .milliseconds:
        guard value.hasOnlyBytes(where: \.isASCIIDigit), let number = Int64(value) else {
          return nil
        }
        return .milliseconds(min(number, Int64(100 * 365 * 86_400_000)))
      case .date:
        guard let date = try? Date(value, strategy: Self.style) else { return nil }
        return Duration.seconds(min(max(0, date.timeIntervalSince(now)), 1e9))
      }
    }

    /// Returns the value of the header.
    func value(of remaining: Duration, at now: Date) -> String {
      let remaining = max(.zero, remaining.countable)
      switch self {
      case .milliseconds: return String(Int64(remaining / .milliseconds(1)))
      case .date: return now.addingTimeInterval(remaining.seconds).formatted(Self.style)
      }
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
  }
}

/// Adds the time that is left of a load to each request, so that the server can give up in time.
///
/// ```swift
/// let client = Client(baseURL: url) {
///   $0.middleware = [RetryMiddleware(), DeadlineMiddleware("X-Time-Left")]
/// }
/// ```
///
/// Put it behind the others, so that it counts the time that they have waited. Loads without a time
/// limit get no header, and neither do requests to another origin than the client's.
public struct DeadlineMiddleware: PredictableMiddleware {
  private let header: Headers.Name
  private let format: Deadline.Format

  /// Creates a middleware that adds a header.
  ///
  /// - Parameters:
  ///   - header: The name of the header.
  ///   - format: How it has the time.
  public init(_ header: Headers.Name, as format: Deadline.Format = .milliseconds) {
    self.header = header
    self.format = format
  }

  /// Adds the header and sends the request on.
  ///
  /// - Throws: What the next middleware throws.
  public func respond(to request: Request, next: Next) async throws -> Response {
    guard let remaining = next.remainingTime, next.isSameOrigin(request) else {
      return try await next(request)
    }
    return try await next(request.header(header, format.value(of: remaining, at: next.date)))
  }
}
