/// The wait before the next attempt, which grows with every failure up to a limit.
///
/// It reads no clock, and gets its random numbers from the generator that is passed in.
public struct Backoff: Sendable, Hashable {
  /// How much of the wait is random, so that clients that failed together don't retry together.
  public enum Jitter: Sendable, Hashable {
    /// The wait is exact.
    case none
    /// The wait is random from half of its ceiling to all of it.
    case equal
    /// The wait is random from zero to its ceiling.
    case full
  }

  /// The wait after the first failure.
  public var base: Duration
  /// The factor by which each further failure multiplies the wait.
  public var factor: Double
  /// The longest wait.
  public var maximum: Duration
  /// How much of the wait is random.
  public var jitter: Jitter

  /// Creates a rule.
  ///
  /// - Parameters:
  ///   - base: The wait after the first failure.
  ///   - factor: The factor by which each further failure multiplies the wait; 1 for a constant
  ///     wait.
  ///   - maximum: The longest wait.
  ///   - jitter: How much of the wait is random.
  public init(
    base: Duration = .milliseconds(200), factor: Double = 2, maximum: Duration = .seconds(20),
    jitter: Jitter = .full
  ) {
    self.base = base
    self.factor = factor
    self.maximum = maximum
    self.jitter = jitter
  }

  /// No wait at all.
  public static let none = Backoff(base: .zero, factor: 1, maximum: .zero, jitter: .none)
}

extension Backoff {
  /// The wait after a failure, without jitter.
  ///
  /// - Parameter failures: How many attempts have failed so far, 1 or more.
  /// - Returns: At least zero and at most ``maximum``.
  public func ceiling(afterFailures failures: Int) -> Duration {
    var wait = base
    var count = 1
    while count < failures, factor > 1, wait > .zero {
      // Compared before it is multiplied, so that no factor can overflow.
      guard wait < maximum / factor else { return max(.zero, maximum) }
      wait = wait * factor
      count += 1
    }
    return max(.zero, min(wait, maximum))
  }

  /// The wait after a failure.
  ///
  /// - Parameters:
  ///   - failures: How many attempts have failed so far, 1 or more.
  ///   - generator: The source of random numbers.
  /// - Returns: At least zero and at most ``maximum``.
  public func wait(
    afterFailures failures: Int, using generator: inout some RandomNumberGenerator
  ) -> Duration {
    let ceiling = ceiling(afterFailures: failures)
    switch jitter {
    case .none: return ceiling
    case .equal: return ceiling * (0.5 + 0.5 * Self.fraction(&generator))
    case .full: return ceiling * Self.fraction(&generator)
    }
  }

  /// A number from 0 to below 1. `Double.random` draws again in some cases, which never ends with a
  /// generator of constant numbers, as tests use it.
  private static func fraction(_ generator: inout some RandomNumberGenerator) -> Double {
    Double(generator.next() >> 11) * 0x1p-53
  }
}
