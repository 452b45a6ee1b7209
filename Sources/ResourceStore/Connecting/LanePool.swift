internal import ResourceLoading
internal import Synchronization

/// A few lanes for many users: who comes when all are in use waits for the next one, first come, first
/// served, and can be cancelled while waiting.
final class LanePool: Sendable {
  private let state: Mutex<LanePoolState>
  private let connect: @Sendable () throws -> sending Connection

  /// Makes a pool that opens its connections as they are needed.
  init(limit: Int, connect: @escaping @Sendable () throws -> sending Connection) {
    state = Mutex(LanePoolState(limit: max(1, limit)))
    self.connect = connect
  }

  /// Runs the body with a connection, on the queue of the connection.
  ///
  /// - Throws: What the body throws, `CancellationError`, or a `LoadError` of kind `store` where there is no
  ///   connection to be had, and of kind `closed` after ``close()``.
  func run<R: Sendable>(_ body: @Sendable (Connection) throws -> R) async throws -> R {
    let lane = try await take()
    defer { giveBack(lane) }
    return try await lane.run(body)
  }

  /// Runs the body on the caller's thread, if a connection is open and free.
  ///
  /// - Returns: What the body returns, or `nil` where ``run(_:)`` must do it.
  /// - Throws: What the body throws, or `CancellationError`.
  func runNow<R: Sendable>(_ body: @Sendable (Connection) throws -> R) throws -> R? {
    guard let lane = state.withLock({ $0.takeIdle() }) else { return nil }
    defer { giveBack(lane) }
    return try lane.runNow(body)
  }

  /// Refuses everything from now on, waits for what is running, and closes the connections.
  func close() async {
    await withCheckedContinuation { continuation in
      let (waiting, isIdle) = state.withLock { $0.close(continuation) }
      for user in waiting { user.resume(throwing: LoadError.storeClosed) }
      if isIdle { continuation.resume() }
    }
    for lane in state.withLock({ $0.removeIdle() }) { await lane.close() }
  }
}

extension LanePool {
  private func take() async throws -> Lane {
    let turn = state.withLock { $0.arrive() }
    if let lane = try lane(for: turn) { return lane }
    let id = state.withLock { $0.makeID() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let turn = state.withLock { state in
          // Whoever cancels from now on finds the continuation there.
          Task.isCancelled ? .cancelled : state.wait(id, continuation)
        }
        do {
          if let lane = try lane(for: turn) { continuation.resume(returning: lane) }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      state.withLock { $0.leave(id) }?.resume(throwing: CancellationError())
    }
  }

  /// The lane of a turn, or `nil` for one that has to wait.
  private func lane(for turn: LanePoolState.Turn) throws -> Lane? {
    switch turn {
    case .lane(let lane): return lane
    case .newLane: return Lane(connect: connect)
    case .wait: return nil
    case .closed: throw LoadError.storeClosed
    case .cancelled: throw CancellationError()
    }
  }

  private func giveBack(_ lane: Lane) {
    switch state.withLock({ $0.giveBack(lane) }) {
    case .next(let user): user.resume(returning: lane)
    case .drained(let closers): for closer in closers { closer.resume() }
    case .nothing: break
    }
  }
}
