extension ManualClock {
  struct Sleeper: Sendable {
    let deadline: Instant
    let waiter: Waiter<Void>
  }

  /// The time and who waits for it, in the order of waking.
  struct State: Sendable {
    private(set) var now = Instant()
    private(set) var sleepers: [Sleeper] = []

    /// How many sleep for a duration at most; all of them if there is none.
    func sleepers(within duration: Duration?) -> Int {
      guard let duration else { return sleepers.count }
      let end = now.advanced(by: duration)
      return sleepers.prefix { $0.deadline <= end }.count
    }

    /// Puts a sleeper in its place; `false` if its time has come already.
    mutating func add(_ sleeper: Sleeper) -> Bool {
      guard sleeper.deadline > now else { return false }
      let place = sleepers.firstIndex { $0.deadline > sleeper.deadline } ?? sleepers.endIndex
      sleepers.insert(sleeper, at: place)
      return true
    }

    mutating func remove(_ waiter: Waiter<Void>) {
      sleepers.removeAll { $0.waiter === waiter }
    }

    /// Moves the time and returns those to wake.
    mutating func advance(to instant: Instant) -> [Sleeper] {
      now = max(now, instant)
      let woken = sleepers.prefix { $0.deadline <= now }
      sleepers.removeFirst(woken.count)
      return Array(woken)
    }
  }
}
