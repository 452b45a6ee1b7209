/// A clock that only a test moves, for code that takes its time from an injected `Clock`.
///
/// ```swift
/// let clock = ManualClock()
/// let retry = Task { try await loadWithRetry(clock: clock) }
///
/// try await clock.waitForSleepers(count: 1)  // the code under test sleeps before its second try
/// clock.advance(by: .seconds(1))  // a second passes without waiting
/// ```
///
/// All members may be used from any thread.
public final class ManualClock: Clock, Sendable {
  private let state = Observed(State())

  /// Creates a clock at time zero.
  public init() {}

  /// The current time.
  public var now: Instant {
    state.value.now
  }

  /// The smallest step, one attosecond.
  public var minimumResolution: Duration {
    Duration(secondsComponent: 0, attosecondsComponent: 1)
  }
}

extension ManualClock {
  /// Suspends until the clock has been moved to `deadline` or beyond; returns at once if it has
  /// reached it already. `tolerance` is ignored, because the clock is exact.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled; nothing else.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let sleeper = Waiter<Void>()
    let (isAsleep, fellAsleep) = state.update {
      ($0.add(Sleeper(deadline: deadline, waiter: sleeper)), $0.fellAsleep)
    }
    guard isAsleep else { return }
    fellAsleep?()
    // A cancelled task no longer counts as a sleeper.
    try await withTaskCancellationHandler {
      try await sleeper.value()
    } onCancel: {
      state.update { $0.remove(sleeper) }
    }
  }

  /// Calls a closure whenever a task has fallen asleep, on that task's thread; `nil` calls none.
  func onSleep(_ action: (@Sendable () -> Void)?) {
    state.update { $0.fellAsleep = action }
  }

  /// The number of tasks that are sleeping on the clock.
  public var sleepers: Int {
    state.value.sleepers.count
  }

  /// The earliest deadline of a sleeping task; `nil` if no task is sleeping.
  public var nextDeadline: Instant? {
    state.value.sleepers.first?.deadline
  }

  /// Suspends until at least `count` tasks are sleeping on the clock at the same time.
  ///
  /// The time limits of a load are sleepers, too. To wait for the pause before a retry, for
  /// example, exclude deadlines that are further away.
  ///
  /// ```swift
  /// try await clock.waitForSleepers(count: 1, within: .seconds(30))  // not the idle timeout of 60 s
  /// ```
  ///
  /// - Parameters:
  ///   - count: The number of sleepers to wait for.
  ///   - duration: The longest sleep, from the current time, that counts; `nil` counts all.
  ///   - timeout: The longest wait in real time.
  /// - Throws: `CancellationError` if the task is cancelled first; ``WaitTimeout``, which describes
  ///   the sleepers, after `timeout`: usually the code under test doesn't use this clock, or has
  ///   slept before.
  public func waitForSleepers(
    count: Int, within duration: Duration? = nil, timeout: Duration = .seconds(60)
  ) async throws {
    _ = try await state.wait(for: timeout) { state in
      let span = duration.map { " for at most \($0)" } ?? ""
      return "\(count) tasks to sleep\(span) on a clock: \(state.history)"
    } until: {
      $0.sleepers(within: duration) >= count
    }
  }
}

extension ManualClock {
  /// Moves the clock forward and wakes the tasks whose deadline it reaches, the earliest first, and
  /// those with equal deadlines in the order in which they began to sleep.
  ///
  /// All of them see the clock at its new time. To wake each at its own deadline, use
  /// `advanceToNextDeadline()`.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "a clock can't move backwards")
    wake { $0.advance(to: $0.now.advanced(by: duration)) }
  }

  /// Moves the clock to the earliest deadline and wakes the tasks that sleep until then.
  ///
  /// - Returns: The duration by which the clock was moved; `nil` if no task is sleeping.
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
  /// A point in a manual clock's time.
  public struct Instant: InstantProtocol, Sendable, Hashable {
    /// The time since the clock was created, at most `.seconds(.max)`.
    public let offset: Duration

    /// Creates the instant at `offset` from time zero, or the clock's last instant if that is
    /// earlier.
    public init(offset: Duration = .zero) {
      self.offset = offset.inClock
    }

    /// Returns the instant that is `duration` later, or the clock's last instant if that is
    /// earlier.
    public func advanced(by duration: Duration) -> Instant {
      // Neither the operands nor the sum can overflow.
      Instant(offset: offset + duration.inClock)
    }

    /// Returns how much later `other` is, at most `.seconds(.max)`; negative if it is earlier.
    public func duration(to other: Instant) -> Duration {
      (other.offset - offset).inClock
    }

    /// Returns whether `left` is earlier than `right`.
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

  /// The time and the sleepers, in the order in which they will be woken.
  struct State: Sendable {
    private(set) var now = Instant()
    private(set) var sleepers: [Sleeper] = []
    var fellAsleep: (@Sendable () -> Void)?
    /// The number of tasks that have ever slept.
    private var total = 0

    /// Returns the number of tasks that sleep for at most a duration; all of them without one.
    func sleepers(within duration: Duration?) -> Int {
      guard let duration else { return sleepers.count }
      let end = now.advanced(by: duration)
      return sleepers.prefix { $0.deadline <= end }.count
    }

    var history: String {
      let deadlines = sleepers.prefix(8).map { "\($0.deadline.offset)" }.joined(separator: ", ")
      let until = sleepers.isEmpty ? "" : ", until \(deadlines)\(sleepers.count > 8 ? ", …" : "")"
      return
        "\(sleepers.count) sleep now\(until); \(total) have slept in all; the time is \(now.offset)"
    }

    /// Adds a sleeper in the order of deadlines; returns `false` if its deadline has already been
    /// reached.
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

    mutating func advance(to instant: Instant) -> [Sleeper] {
      now = max(now, instant)
      let woken = sleepers.prefix { $0.deadline <= now }
      sleepers.removeFirst(woken.count)
      return Array(woken)
    }
  }
}

extension Duration {
  /// The duration, limited to 64 bits of seconds in either direction, because Foundation and the
  /// standard library can't read longer ones.
  fileprivate var inClock: Duration {
    min(max(self, .seconds(-Int64.max)), .seconds(Int64.max))
  }
}
