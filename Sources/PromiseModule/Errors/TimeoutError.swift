/// The error of a promise that has taken longer than it may.
public struct TimeoutError: Error, Sendable, Hashable {
  /// How long it was given.
  public let duration: Duration

  /// Makes the error.
  ///
  /// - Parameter duration: How long was given.
  public init(after duration: Duration) {
    self.duration = duration
  }
}

extension TimeoutError: CustomStringConvertible {
  /// What went wrong, and after how long.
  public var description: String { "Timed out after \(duration)." }
}
