/// Whether a load has been ended, if it isn't its caller who cancels it, and what it waits for until then.
struct Ending: Sendable {
  /// Why the load was ended; `nil` if it goes on.
  private(set) var reason: LoadError?
  /// Ends what it waits for at the moment.
  private var interrupt: (@Sendable () -> Void)?
}

extension Ending {
  var hasCome: Bool { reason != nil }

  /// - Returns: Ends what the load waits for; to be called without the lock.
  mutating func come(for reason: LoadError) -> (@Sendable () -> Void)? {
    self.reason = reason
    defer { interrupt = nil }
    return interrupt
  }

  /// Takes note of what ends the wait that begins now.
  ///
  /// - Returns: Whether the load has ended: then nobody calls it.
  mutating func prepare(_ interrupt: @escaping @Sendable () -> Void) -> Bool {
    guard !hasCome else { return true }
    self.interrupt = interrupt
    return false
  }

  /// The wait is over.
  mutating func stopWaiting() { interrupt = nil }
}
