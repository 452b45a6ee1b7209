import Synchronization

/// What goes on when the load that began it is over, until its client is closed; one of a kind at a time.
final class BackgroundWork: Sendable {
  private let state = Mutex(Shifts())

  /// Begins a work, unless one of its kind is under way or the client is closed.
  ///
  /// - Parameter work: Is cancelled when the client is closed.
  func begin(_ key: SharingKey, _ work: @escaping @Sendable () async -> Void) {
    guard state.withLock({ $0.begin(key) }) else { return }
    let task = Task { [self] in
      await work()
      state.withLock { $0.finish(key) }
    }
    if state.withLock({ !$0.keep(task, for: key) }) { task.cancel() }
  }

  /// Cancels what is under way; nothing begins any more.
  func close() {
    for task in state.withLock({ $0.close() }) { task.cancel() }
  }
}

/// Which work is under way, without the lock.
struct Shifts {
  private var running: [SharingKey: Task<Void, Never>?] = [:]
  private var isClosed = false
}

extension Shifts {
  /// - Returns: Whether it may begin: nothing of its kind is under way.
  mutating func begin(_ key: SharingKey) -> Bool {
    guard !isClosed, running[key] == nil else { return false }
    running[key] = .some(nil)
    return true
  }

  /// Takes note of the task that does a work, unless that has finished already.
  ///
  /// - Returns: Whether it may go on.
  mutating func keep(_ task: Task<Void, Never>, for key: SharingKey) -> Bool {
    guard !isClosed else { return false }
    if running[key] != nil { running[key] = .some(task) }
    return true
  }

  /// A work has ended.
  mutating func finish(_ key: SharingKey) { running[key] = nil }

  /// Takes all of it out; there will be no more.
  mutating func close() -> [Task<Void, Never>] {
    defer { running = [:] }
    isClosed = true
    return running.values.compactMap(\.self)
  }
}
