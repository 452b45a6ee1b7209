import Dispatch
import ResourcePrimitives
import Synchronization

/// Runs a closure once at a time of a clock, unless it is cancelled before.
final class DeadlineTimer: Sendable {
  /// The time in nanoseconds since the start of the machine; of no meaning with another clock than
  /// the system's.
  fileprivate let moment: UInt64
  private let action: Mutex<Action?>
  /// Waits for the time with another clock than the system's.
  private let task: Task<Void, Never>?

  typealias Action = @Sendable () -> Void

  /// Starts the timer, whose action runs in the background, immediately if the deadline has passed.
  /// It runs until it is cancelled or fires, even without a reference to it.
  init(at deadline: Duration, on clock: LoadClock, _ action: @escaping Action) {
    guard clock.isSystem else {
      moment = 0
      self.action = Mutex(nil)
      // Not detached: the action may start the next timer, which belongs to the same simulation.
      task = Task(executorPreference: SimulatedExecution.executor) {
        guard (try? await clock.sleepUntil(deadline)) != nil else { return }
        action()
      }
      return
    }
    moment = DispatchTime.now().uptimeNanoseconds + (deadline - clock.now()).nanoseconds
    self.action = Mutex(action)
    task = nil
    DeadlineQueue.shared.add(self)
  }

  /// Creates a timer that isn't started, for a ``DeadlineHeap``.
  init(at moment: UInt64, _ action: @escaping Action) {
    self.moment = moment
    self.action = Mutex(action)
    task = nil
  }

  /// Cancels the timer; without effect if it has fired.
  func cancel() {
    task?.cancel()
    // Freed outside of the lock, because the closure may hold the last reference to something.
    let action = takeAction()
    withExtendedLifetime(action) {}
  }

  /// Returns the action once.
  fileprivate func takeAction() -> Action? { action.withLock { $0.take() } }

  fileprivate var isCancelled: Bool { action.withLock { $0 == nil } }
}

/// The deadlines of all running loads, with one timer of the system.
///
/// Nearly all deadlines are cancelled long before they pass, and a timer of the system for each
/// would cost as much as the rest of a load. Here one costs an element of an array, and the timer
/// is set only for a deadline that is earlier than all others.
private final class DeadlineQueue: Sendable {
  static let shared = DeadlineQueue()

  private let state = Mutex(State())

  private struct State {
    var heap = DeadlineHeap()
    var timer: (any DispatchSourceTimer)?
  }

  func add(_ deadline: DeadlineTimer) {
    state.withLock { state in
      state.heap.add(deadline)
      if state.heap.first === deadline { set(&state) }
    }
  }

  /// Sets the timer for the earliest deadline.
  private func set(_ state: inout State) {
    guard let first = state.heap.first else { return }
    let timer = state.timer ?? makeTimer()
    timer.schedule(
      deadline: DispatchTime(uptimeNanoseconds: first.moment), leeway: .microseconds(500))
    if state.timer == nil { timer.activate() }
    state.timer = timer
  }

  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { [self] in ring() }
    return timer
  }

  private func ring() {
    let due = state.withLock { state in
      defer { set(&state) }
      return state.heap.takeDue(at: DispatchTime.now().uptimeNanoseconds)
    }
    // One by one, so that none of them delays another.
    for action in due { DispatchQueue.global().async(execute: action) }
  }
}

extension DeadlineTimer: Comparable {
  static func < (one: DeadlineTimer, other: DeadlineTimer) -> Bool { one.moment < other.moment }

  static func == (one: DeadlineTimer, other: DeadlineTimer) -> Bool { one.moment == other.moment }
}

/// The timers of a ``DeadlineQueue``, of which the first is the earliest.
///
/// Cancelled timers stay until there are as many of them as there were others: so cancelling one
/// touches no other.
struct DeadlineHeap {
  private var timers = Heap<DeadlineTimer>()
  /// The number of timers at which the cancelled ones are removed.
  private var limit = smallestLimit
  private static let smallestLimit = 64
}

extension DeadlineHeap {
  var first: DeadlineTimer? { timers.first }

  var count: Int { timers.count }

  mutating func add(_ timer: DeadlineTimer) {
    if timers.count >= limit {
      timers.removeAll { $0.isCancelled }
      limit = max(Self.smallestLimit, 2 * timers.count)
    }
    timers.insert(timer)
  }

  /// Removes the timers whose time has come, and returns the actions of those that aren't
  /// cancelled, the earliest first.
  mutating func takeDue(at now: UInt64) -> [DeadlineTimer.Action] {
    var due: [DeadlineTimer.Action] = []
    while let first, first.moment <= now || first.isCancelled {
      if let action = first.takeAction() { due.append(action) }
      timers.popFirst()
    }
    return due
  }
}

extension Duration {
  /// The duration, but not less than zero and at most a hundred years, so that sums don't overflow.
  fileprivate var nanoseconds: UInt64 {
    let (seconds, attoseconds) = max(countable, .zero).components
    return UInt64(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }
}
