extension Machine {
  /// What the departure of one of the audience leads to.
  struct Departure: ~Copyable, Sendable {
    /// The reaction that has left, if it was there.
    var reaction: Reaction?
    /// What is to be done if it was the last one: the promise has been cancelled.
    var cancelled: Settlement?
  }

  /// Lets one of the audience of a pending promise go, and cancels it after the last.
  mutating func leave(_ key: Key) -> Departure {
    guard phase != .settled, let reaction = audience.leave(key) else { return Departure() }
    let cancelled =
      audience.isInterested ? nil : settle(CancellationError(), asBound: true)
    return Departure(reaction: reaction, cancelled: cancelled)
  }

  /// Makes a key for a task that is about to await.
  @inlinable
  mutating func makeWaiterKey() -> Key {
    waiters &+= 1
    return Key(waiter: UInt(waiters))
  }

  /// Adds what is called when the promise is cancelled.
  ///
  /// - Returns: Whether it is to be called at once, because that has happened.
  @usableFromInline
  mutating func addCancelHook(_ hook: @escaping @Sendable () -> Void) -> Bool {
    guard phase != .settled else { return origin.failure is CancellationError }
    var more = origin.full
    more.cancelHooks.append(hook)
    origin = .more(more)
    return false
  }

  /// Makes the report that is due when nobody can see the rejection any more.
  @usableFromInline
  func reportUnobserved() {
    guard case .more(let more) = origin, !isObserved, let error = more.failure,
      !(error is CancellationError)
    else { return }
    more.reporter?.report(error)
  }
}
