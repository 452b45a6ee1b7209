extension Promise where Value == Void {
  /// Returns a promise that is fulfilled after some time.
  ///
  /// - Parameters:
  ///   - duration: The delay; a promise with a delay of zero or less is fulfilled at once.
  ///   - clock: The clock that measures the time.
  /// - Returns: The promise. Cancelling it stops the timer.
  public static func delay(
    for duration: Duration, clock: some Clock<Duration> = .continuous
  ) -> Promise<Void> {
    // The system's clock traps at times that don't fit into 64 bits of seconds. A century serves as
    // forever.
    let longest = Duration.seconds(100 * 365 * 86_400)
    return Promise { try await clock.sleep(for: max(.zero, min(duration, longest))) }
  }
}

extension Promise {
  /// Limits the time until this promise is settled.
  ///
  /// - Parameters:
  ///   - duration: The time limit, from now.
  ///   - clock: The clock that measures the time.
  /// - Returns: A promise with this one's outcome, or one that is rejected with a ``TimeoutError``
  ///   if the time runs out first. In that case this promise is cancelled unless something else is
  ///   waiting for it.
  public func timeout(
    after duration: Duration, clock: some Clock<Duration> = .continuous
  ) -> Promise<Value> {
    let timer = Promise<Void>.delay(for: duration, clock: clock)
    return .race(self, timer.map(on: .inline) { throw TimeoutError(after: duration) })
  }
}

/// The error of a promise that exceeded its time limit.
public struct TimeoutError: Error, Sendable, Hashable {
  /// The time limit.
  public let duration: Duration

  package init(after duration: Duration) {
    self.duration = duration
  }
}

extension TimeoutError: CustomStringConvertible {
  /// A message that names the time limit.
  public var description: String { "Timed out after \(duration)." }
}
