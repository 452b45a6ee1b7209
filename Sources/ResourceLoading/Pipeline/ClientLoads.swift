/// The loads of a client that are under way, without the lock.
struct ClientLoads {
  /// One load, as far as its client needs to know it.
  struct Load: Sendable {
    /// Fails it at once and cancels what it does.
    var end: @Sendable (LoadError) -> Void
    var timer: DeadlineTimer?
  }

  private var count: UInt64 = 0
  private var running: [UInt64: Load] = [:]
  /// Those that finished before they were entered here.
  private var finished: Set<UInt64> = []
  private var isClosed = false
}

extension ClientLoads {
  /// The number of a new load; `nil` if the client is closed.
  mutating func nextID() -> UInt64? {
    guard !isClosed else { return nil }
    count += 1
    return count
  }

  /// Enters a load, unless it has finished already.
  ///
  /// - Returns: Whether the client was closed meanwhile, so that the load is to be ended.
  mutating func begin(_ id: UInt64, _ load: Load) -> Bool {
    guard finished.isEmpty || finished.remove(id) == nil else {
      load.timer?.cancel()
      return false
    }
    guard !isClosed else { return true }
    running[id] = load
    return false
  }

  /// Takes a finished load out.
  mutating func finish(_ id: UInt64) -> Load? {
    if let load = running.removeValue(forKey: id) { return load }
    if !isClosed { finished.insert(id) }
    return nil
  }

  /// Takes all loads out; there will be no more.
  mutating func close() -> [Load] {
    defer { running = [:] }
    isClosed = true
    return Array(running.values)
  }
}

extension Task where Success == Void, Failure == Never {
  /// Starts a task that runs on the calling thread until it waits for the first time, where the system has
  /// that: one change of threads less. Only for callers that no actor waits for.
  package static func startingHere(
    _ operation: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      return .immediate { await operation() }
    }
    return Task { await operation() }
  }
}
