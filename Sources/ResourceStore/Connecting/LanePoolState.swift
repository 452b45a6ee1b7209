/// Who has the lanes of a pool and who waits for them. It decides; the pool acts.
struct LanePoolState {
  private let limit: Int
  private var idle: [Lane] = []
  private var busyCount = 0
  private var waiting: [(id: Int, user: CheckedContinuation<Lane, any Error>)] = []
  private var closers: [CheckedContinuation<Void, Never>] = []
  private var isClosed = false
  private var lastID = 0

  init(limit: Int) { self.limit = limit }

  enum Turn {
    case lane(Lane)
    case newLane, wait, closed, cancelled
  }

  enum Next {
    case next(CheckedContinuation<Lane, any Error>)
    case drained([CheckedContinuation<Void, Never>])
    case nothing
  }
}

extension LanePoolState {
  mutating func makeID() -> Int {
    lastID += 1
    return lastID
  }

  /// Takes a lane if one is free, and nobody who came before is waiting for it.
  mutating func arrive() -> Turn {
    if isClosed { return .closed }
    guard waiting.isEmpty, busyCount < limit else { return .wait }
    busyCount += 1
    return idle.popLast().map { .lane($0) } ?? .newLane
  }

  /// Takes a lane that was used before, if one is free, and nobody is waiting for it.
  mutating func takeIdle() -> Lane? {
    guard !isClosed, waiting.isEmpty, let lane = idle.popLast() else { return nil }
    busyCount += 1
    return lane
  }

  /// Takes a lane, or joins those who wait.
  mutating func wait(_ id: Int, _ user: CheckedContinuation<Lane, any Error>) -> Turn {
    let turn = arrive()
    if case .wait = turn { waiting.append((id, user)) }
    return turn
  }

  /// Who doesn't want to wait any longer, or `nil` if it doesn't wait.
  mutating func leave(_ id: Int) -> CheckedContinuation<Lane, any Error>? {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return nil }
    return waiting.remove(at: index).user
  }

  /// Passes a lane on to who waits longest.
  mutating func giveBack(_ lane: Lane) -> Next {
    if !waiting.isEmpty { return .next(waiting.removeFirst().user) }
    busyCount -= 1
    idle.append(lane)
    guard isClosed, busyCount == 0 else { return .nothing }
    defer { closers = [] }
    return .drained(closers)
  }

  /// Lets nobody in any more.
  ///
  /// - Returns: Those who waited, and whether no lane is in use, so that there is nothing to wait for.
  mutating func close(
    _ closer: CheckedContinuation<Void, Never>
  ) -> (waiting: [CheckedContinuation<Lane, any Error>], isIdle: Bool) {
    isClosed = true
    defer { waiting = [] }
    if busyCount > 0 { closers.append(closer) }
    return (waiting.map(\.user), busyCount == 0)
  }

  mutating func removeIdle() -> [Lane] {
    defer { idle = [] }
    return idle
  }
}
