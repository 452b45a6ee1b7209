internal import ResourceLoading
internal import Synchronization

/// A limited number of connections. When all are in use, callers wait for the next one in a fair queue; a waiting task
/// can be cancelled.
final class ConnectionPool<C: Connection>: Sendable {
  private let connect: @Sendable () throws -> sending C
  private let state: Mutex<State>

  fileprivate typealias Queue = ConnectionQueue<C>
  fileprivate typealias Waiter = CheckedContinuation<Queue, any Error>

  fileprivate struct State {
    let limit: Int
    var idle: [Queue] = []
    var busyCount = 0
    var waiters = FairQueue<Waiter>()
    /// The callers of ``close()`` that wait for the last connection to come back.
    var closers: [CheckedContinuation<Void, Never>] = []
    var isClosed = false
  }

  /// Creates a pool that opens its connections as they are needed.
  init(limit: Int, connect: @escaping @Sendable () throws -> sending C) {
    state = Mutex(State(limit: max(1, limit)))
    self.connect = connect
  }

  /// Runs the body with a connection, on the connection's queue.
  ///
  /// - Throws: What the body throws, `CancellationError`, a `LoadError` of kind `store` if no connection can be opened,
  ///   and one of kind `closed` after ``close()``.
  func run<R: Sendable>(_ body: @Sendable (C) throws -> R) async throws -> R {
    let queue = try await take()
    defer { giveBack(queue) }
    return try await queue.run(body)
  }

  /// Runs the body on the caller's thread, if a connection is open and free.
  ///
  /// - Returns: The result of the body, or `nil` if ``run(_:)`` must be used.
  /// - Throws: What the body throws, or `CancellationError`.
  func runNow<R: Sendable>(_ body: @Sendable (C) throws -> R) throws -> R? {
    guard let queue = state.withLock({ $0.takeIdle() }) else { return nil }
    defer { giveBack(queue) }
    return try queue.runNow(body)
  }

  /// Refuses new work, waits for what is running, and closes the connections.
  func close() async {
    await withCheckedContinuation { continuation in
      let (waiters, isIdle) = state.withLock { $0.close(continuation) }
      for waiter in waiters { waiter.resume(throwing: LoadError.storeClosed) }
      if isIdle { continuation.resume() }
    }
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for queue in idle { await queue.close() }
  }
}

extension ConnectionPool {
  /// - Throws: `CancellationError`, and a `LoadError` of kind `closed` after ``close()``.
  private func take() async throws -> Queue {
    if let queue = try state.withLock({ try $0.take(connect) }) { return queue }
    let ticket = Mutex<FairQueue<Waiter>.Ticket?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let result = state.withLock { state in
          Result {
            // A later cancellation finds the ticket.
            try Task.checkCancellation()
            let queue = try state.take(connect)
            if queue == nil { ticket.withLock { $0 = state.waiters.append(waiter) } }
            return queue
          }
        }
        switch result {
        case .success(let queue?): waiter.resume(returning: queue)
        case .success(nil): break
        case .failure(let error): waiter.resume(throwing: error)
        }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        ticket.withLock(\.self).flatMap { state.waiters.remove($0) }
      }
      waiter?.resume(throwing: CancellationError())
    }
  }

  private func giveBack(_ queue: Queue) {
    let (waiter, closers) = state.withLock { $0.giveBack(queue) }
    waiter?.resume(returning: queue)
    for closer in closers { closer.resume() }
  }
}

// Decisions, under the lock.
extension ConnectionPool.State {
  /// A free connection, or `nil` if the caller must wait.
  ///
  /// - Throws: A `LoadError` of kind `closed` after ``close()``.
  fileprivate mutating func take(
    _ connect: @escaping @Sendable () throws -> sending C
  ) throws -> ConnectionQueue<C>? {
    guard !isClosed else { throw LoadError.storeClosed }
    guard waiters.isEmpty, busyCount < limit else { return nil }
    busyCount += 1
    return idle.popLast() ?? ConnectionQueue(connect: connect)
  }

  /// A free connection that was used before, unless others are waiting.
  fileprivate mutating func takeIdle() -> ConnectionQueue<C>? {
    guard !isClosed, waiters.isEmpty, let queue = idle.popLast() else { return nil }
    busyCount += 1
    return queue
  }

  /// Returns who gets the connection next, or else those who waited for the last one.
  fileprivate mutating func giveBack(
    _ queue: ConnectionQueue<C>
  ) -> (ConnectionPool.Waiter?, [CheckedContinuation<Void, Never>]) {
    if let waiter = waiters.popFirst() { return (waiter, []) }
    busyCount -= 1
    idle.append(queue)
    guard isClosed, busyCount == 0 else { return (nil, []) }
    defer { closers = [] }
    return (nil, closers)
  }

  /// Returns those who are waiting, and whether no connection is in use.
  fileprivate mutating func close(
    _ closer: CheckedContinuation<Void, Never>
  ) -> (waiters: [ConnectionPool.Waiter], isIdle: Bool) {
    isClosed = true
    if busyCount > 0 { closers.append(closer) }
    defer { waiters = FairQueue() }
    return (Array(waiters), busyCount == 0)
  }
}
