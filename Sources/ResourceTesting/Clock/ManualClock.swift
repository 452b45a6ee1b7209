/// A clock that stands still until a test moves it, for code that takes its time from an injected
/// `Clock`.
///
/// ```swift
/// let clock = ManualClock()
/// let retry = Task { try await loadWithRetry(clock: clock) }
///
/// try await clock.waitForSleepers(count: 1)  // the code under test sleeps before its second try
/// clock.advance(by: .seconds(1))  // a second passes in no time at all
/// ```
///
/// All members may be used from any thread.
public final class ManualClock: Clock, Sendable {
  private let state = Observed(State())

  /// Makes a clock that stands at its beginning.
  public init() {}

  /// Where the clock stands.
  public var now: Instant {
    state.value.now
  }

  /// The smallest step, one attosecond.
  public var minimumResolution: Duration {
    Duration(secondsComponent: 0, attosecondsComponent: 1)
  }
}

extension ManualClock {
  /// Suspends until the clock has been moved to `deadline` or beyond; goes on at once if it stands
  /// there. `tolerance` is ignored: the clock is exact.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled; nothing else.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let sleeper = Waiter<Void>()
    let isAsleep = state.update { $0.add(Sleeper(deadline: deadline, waiter: sleeper)) }
    guard isAsleep else { return }
    // Whoever cancels a task doesn't find it asleep any more.
    try await withTaskCancellationHandler {
      try await sleeper.value()
    } onCancel: {
      state.update { $0.remove(sleeper) }
    }
  }

  /// How many tasks sleep on the clock now.
  public var sleepers: Int {
    state.value.sleepers.count
  }

  /// The earliest moment for which a task sleeps; `nil` if none does.
  public var nextDeadline: Instant? {
    state.value.sleepers.first?.deadline
  }

  /// Suspends until at least `count` tasks sleep on the clock at once.
  ///
  /// A load that waits for its server sleeps, too, as it were: its time limits do. To wait for a pause of a
  /// retry, say, leave out what is further away.
  ///
  /// ```swift
  /// try await clock.waitForSleepers(count: 1, within: .seconds(30))  // not the idle timeout of 60 s
  /// ```
  ///
  /// - Parameters:
  ///   - count: How many there have to be.
  ///   - duration: Only those count that sleep for this long at most, from where the clock stands; all of them
  ///     without it.
  ///   - limit: How long that may take in real time.
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout``, with what the clock has seen, if
  ///   it takes longer than `limit`: as a rule the code under test doesn't use this clock, or has slept before.
  public func waitForSleepers(
    count: Int, within duration: Duration? = nil, limit: Duration = .seconds(60)
  ) async throws {
    _ = try await state.wait(for: limit) { state in
      let span = duration.map { " for at most \($0)" } ?? ""
      return "\(count) tasks to sleep\(span) on a clock: \(state.history)"
    } until: {
      $0.sleepers(within: duration) >= count
    }
  }
}

extension ManualClock {
  /// Moves the clock on and wakes those whose time has come, the earliest first, equal ones in the
  /// order in which they went to sleep.
  ///
  /// All of them find the clock at its new time. To see each at its own, go step by step with
  /// `advanceToNextDeadline()`.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "a clock doesn't go back")
    wake { $0.advance(to: $0.now.advanced(by: duration)) }
  }

  /// Moves the clock to the earliest moment for which a task sleeps, and wakes it and those that sleep
  /// until the same moment.
  ///
  /// - Returns: by how much the clock has moved; `nil` if no task sleeps.
  @discardableResult
  public func advanceToNextDeadline() -> Duration? {
    var moved: Duration?
    wake { state in
      guard let deadline = state.sleepers.first?.deadline else { return [] }
      moved = state.now.duration(to: deadline)
      return state.advance(to: deadline)
    }
    return moved
  }

  private func wake(_ advance: (inout State) -> [Sleeper]) {
    for sleeper in state.update(advance) { sleeper.waiter.finish(.success(())) }
  }
}

extension ManualClock {
  /// A point of a manual clock's time.
  public struct Instant: InstantProtocol, Sendable, Hashable {
    /// The time since the clock was made.
    public let offset: Duration

    /// Makes the instant at `offset` from the clock's beginning.
    public init(offset: Duration = .zero) {
      self.offset = offset
    }

    /// The instant that is `duration` later.
    public func advanced(by duration: Duration) -> Instant {
      Instant(offset: offset + duration)
    }

    /// How much later `other` is; negative if it is earlier.
    public func duration(to other: Instant) -> Duration {
      other.offset - offset
    }

    /// Whether `left` is the earlier one.
    public static func < (left: Instant, right: Instant) -> Bool {
      left.offset < right.offset
    }
  }
}

extension ManualClock {
  struct Sleeper: Sendable {
    let deadline: Instant
    let waiter: Waiter<Void>
  }

  /// The time and who waits for it, in the order of waking.
  struct State: Sendable {
    private(set) var now = Instant()
    private(set) var sleepers: [Sleeper] = []
    /// How many have slept, those included that sleep now.
    private var total = 0

    /// How many sleep for a duration at most; all of them if there is none.
    func sleepers(within duration: Duration?) -> Int {
      guard let duration else { return sleepers.count }
      let end = now.advanced(by: duration)
      return sleepers.prefix { $0.deadline <= end }.count
    }

    /// What the clock has seen, in words.
    var history: String {
      let deadlines = sleepers.prefix(8).map { "\($0.deadline.offset)" }.joined(separator: ", ")
      let until = sleepers.isEmpty ? "" : ", until \(deadlines)\(sleepers.count > 8 ? ", …" : "")"
      return
        "\(sleepers.count) sleep now\(until); \(total) have slept since it was made; it stands at \(now.offset)"
    }

    /// Puts a sleeper in its place; `false` if its time has come already.
    mutating func add(_ sleeper: Sleeper) -> Bool {
      guard sleeper.deadline > now else { return false }
      total += 1
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
