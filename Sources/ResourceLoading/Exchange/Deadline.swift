public import Foundation
import ResourcePrimitives

/// A point in time at which all loads of a piece of work must have ended.
///
/// A service that must answer within two seconds gives its loads what is left of them:
///
/// ```swift
/// let answer = try await Deadline.within(.seconds(2)) {
///   let user = try await users.load(.user(id))
///   return try await orders.load(.orders(of: user))
/// }
/// ```
///
/// The deadline belongs to the task and its child tasks. A load's time limit is the remaining time
/// if that is shorter than ``Request/Options/timeout``, and the load fails with a ``LoadError`` of
/// kind ``LoadError/Kind/timedOut``. Work that outlives its caller has no deadline: background
/// revalidations, an outbox's writes, the shared renewal of a token. A request shared by several
/// loads continues for the most patient of them.
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
  /// Runs work with a deadline. If there is one already, the earlier of the two applies.
  ///
  /// It applies to loads, and doesn't stop anything else.
  ///
  /// - Parameters:
  ///   - duration: The time for the work; `nil` for no new deadline.
  ///   - clock: The clock of the deadline.
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

  /// Runs a closure that starts work without the current task's deadline.
  package static func withoutCurrent<Value>(_ body: () -> Value) -> Value {
    guard local != nil else { return body() }
    return $local.withValue(nil) { body() }
  }

  /// Returns the shorter of a time limit and the remaining time.
  static func shorter(of timeout: Duration?) -> Duration? {
    guard let remaining = local?.remaining else { return timeout }
    return timeout.map { min($0, remaining) } ?? remaining
  }
}

extension Deadline {
  /// The format of a deadline in a header.
  public enum Format: Sendable {
    /// The remaining time in whole milliseconds, such as `1250`.
    case milliseconds
    /// The date, such as `2026-11-26T08:30:00.250Z`. It needs synchronised clocks.
    case date

    /// Returns the remaining time from a header; `nil` if it can't be read.
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
