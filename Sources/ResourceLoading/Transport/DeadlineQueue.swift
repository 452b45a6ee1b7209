import Dispatch
import Synchronization

/// The deadlines of all running loads, with one timer of the system.
///
/// Nearly all deadlines are cancelled long before they pass, and a timer of the system for each would cost as much as the
/// rest of a load. Here one costs an entry in a table, and the timer is set only for a deadline that is earlier than all
/// others.
final class DeadlineQueue: Sendable {
  static let shared = DeadlineQueue()

  /// Identifies a deadline, for removing it.
  typealias Ticket = DeadlineTable.Ticket

  private let state = Mutex(State())

  private struct State {
    var table = DeadlineTable()
    var timer: (any DispatchSourceTimer)?
  }

  /// Adds a deadline.
  ///
  /// - Parameters:
  ///   - wait: The time until then.
  ///   - action: Runs in the background.
  func add(after wait: Duration, _ action: @escaping @Sendable () -> Void) -> Ticket {
    let now = DispatchTime.now().uptimeNanoseconds
    return state.withLock { state in
      let (ticket, isFirst) = state.table.add(action, after: wait.nanoseconds, now: now)
      if isFirst { set(&state) }
      return ticket
    }
  }

  /// Removes a deadline; without effect if it has passed.
  func remove(_ ticket: Ticket) {
    // Freed outside of the lock, because the closure may hold the last reference to something.
    let entry = state.withLock { $0.table.remove(ticket) }
    withExtendedLifetime(entry) {}
  }

  /// Sets the timer for the earliest deadline.
  private func set(_ state: inout State) {
    guard let moment = state.table.earliest else { return }
    let timer = state.timer ?? makeTimer()
    timer.schedule(deadline: DispatchTime(uptimeNanoseconds: moment), leeway: .microseconds(500))
    if state.timer == nil { timer.activate() }
    state.timer = timer
  }

  private func makeTimer() -> any DispatchSourceTimer {
    let timer = DispatchSource.makeTimerSource(queue: .global())
    timer.setEventHandler { [self] in ring() }
    return timer
  }

  private func ring() {
    let now = DispatchTime.now().uptimeNanoseconds
    let due = state.withLock { state in
      defer { set(&state) }
      return state.table.takeDue(at: now)
    }
    // One by one, so that none of them delays another.
    for action in due { DispatchQueue.global().async(execute: action) }
  }
}

extension Duration {
  /// The duration, but at most a hundred years, so that sums don't overflow.
  fileprivate var nanoseconds: UInt64 {
    let century: Int64 = 100 * 365 * 86_400  // in seconds
    let (seconds, attoseconds) = components
    guard seconds < century else { return UInt64(century) * 1_000_000_000 }
    return UInt64(max(0, seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
  }
}
