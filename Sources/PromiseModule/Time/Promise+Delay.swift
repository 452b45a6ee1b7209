extension Promise where Value == Void {
  /// Returns a promise that is fulfilled after some time.
  ///
  /// - Parameters:
  ///   - duration: How long it takes; at once if it isn't positive.
  ///   - clock: Measures the time.
  /// - Returns: The promise. Cancelling it stops the timer.
  public static func delay(
    for duration: Duration, clock: some Clock<Duration> = .continuous
  ) -> Promise<Void> {
    // The system's clock ends the process at times beyond 64 bits of seconds. A century is as good
    // as forever.
    let longest = Duration.seconds(100 * 365 * 86_400)
    return Promise { try await clock.sleep(for: max(.zero, min(duration, longest))) }
  }
}

extension Promise {
  /// Limits the time until this promise is settled.
  ///
  /// - Parameters:
  ///   - duration: How long it may take, from now.
  ///   - clock: Measures the time.
  /// - Returns: A promise with this one's outcome, or rejected with a ``TimeoutError`` if the time
  ///   is over first. Then the interest in this promise is given up, so that it is cancelled unless
  ///   something else waits for it. The timer stops when the outcome comes first.
  public func timeout(
    after duration: Duration, clock: some Clock<Duration> = .continuous
  ) -> Promise<Value> {
    let timer = Promise<Void>.delay(for: duration, clock: clock)
    return .race(self, timer.map(on: .inline) { throw TimeoutError(after: duration) })
  }
}

/// The error of a promise that has taken longer than it may.
public struct TimeoutError: Error, Sendable, Hashable {
  /// How long it was given.
  public let duration: Duration

  /// Creates the error.
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
