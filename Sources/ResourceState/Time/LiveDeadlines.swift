import ResourceLoading
import ResourcePrimitives

/// An object that is called at a time.
@MainActor
protocol LiveDeadlineOwner: AnyObject {
  /// The time of the call; `nil` for none.
  var deadline: Duration? { get }

  /// Called at the deadline or later.
  func deadlinePassed(at now: Duration)
}

/// The deadlines of all live resources, in one sleeping task.
@MainActor
final class LiveDeadlines {
  private let clock: LoadClock
  /// The earliest deadline is first. Entries whose owners have another deadline now are ignored.
  private var entries = Heap<Entry>()
  private var compactedCount = 64
  private var sleeper: Sleeper?

  private struct Entry: Comparable {
    let time: Duration
    weak var owner: (any LiveDeadlineOwner)?

    @MainActor var isValid: Bool { owner?.deadline == time }

    static func < (one: Entry, other: Entry) -> Bool { one.time < other.time }

    static func == (one: Entry, other: Entry) -> Bool { one.time == other.time }
  }

  /// A task that sleeps until a time.
  private struct Sleeper {
    let time: Duration
    let task: CancelledTask
  }

  init(_ clock: LoadClock) { self.clock = clock }

  /// Whether a deadline has passed and its owner wasn't called yet.
  var isOverdue: Bool { entries.contains { $0.time <= clock.now() && $0.isValid } }

  /// Adds the deadline of an owner.
  func add(_ owner: any LiveDeadlineOwner) {
    guard let time = owner.deadline else { return }
    if entries.count > compactedCount { compact() }
    entries.insert(Entry(time: time, owner: owner))
    sleep()
  }

  /// Removes ignored entries, so that they never outnumber the others by much.
  private func compact() {
    entries.removeAll { !$0.isValid }
    compactedCount = max(64, 2 * entries.count)
  }

  private func fire() {
    sleeper = nil
    let now = clock.now()
    while let first = entries.first, first.time <= now {
      entries.popFirst()
      if first.isValid { first.owner?.deadlinePassed(at: now) }
    }
    sleep()
  }

  private func sleep() {
    while let first = entries.first, !first.isValid { entries.popFirst() }
    guard let time = entries.first?.time else {
      sleeper = nil
      return
    }
    if let sleeper, sleeper.time <= time { return }
    sleeper = Sleeper(
      time: time,
      task: CancelledTask(
        Task { [weak self, clock] in
          guard (try? await clock.sleepUntil(time)) != nil, !Task.isCancelled else { return }
          self?.fire()
        }))
  }
}

/// A task that is cancelled when the last reference to it is released.
final class CancelledTask: Sendable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  deinit { task.cancel() }
}
