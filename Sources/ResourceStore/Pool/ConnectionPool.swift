internal import Dispatch
internal import ResourceLoading
internal import ResourcePrimitives
internal import Synchronization

/// A limited number of connections. When all are in use, callers wait for the next one in a fair
/// queue; a waiting task can be cancelled.
package final class ConnectionPool: Sendable {
  private let connect: @Sendable () throws -> sending ModelConnection
  private let limit: Int
  private let state = Mutex(State())

  private typealias Waiter = CheckedContinuation<ConnectionQueue, any Error>

  private struct State {
    var idle: [ConnectionQueue] = []
    var busyCount = 0
    /// All connections that are open, those of ``open()`` too, to be closed with the pool.
    var all: [WeakQueue] = []
    var waiters = FairQueue<Waiter>()
    var isClosed = false
  }

  private struct WeakQueue {
    weak let queue: ConnectionQueue?
  }

  /// Creates a pool that opens its connections as they are needed.
  init(limit: Int, connect: @escaping @Sendable () throws -> sending ModelConnection) {
    self.limit = max(1, limit)
    self.connect = connect
  }

  /// Runs the body with a connection, on the connection's queue.
  package func run<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R) async throws -> R {
    let queue = try await take()
    defer { giveBack(queue) }
    return try await queue.run(body)
  }

  /// Runs the body on the caller's thread, if a connection is open and free.
  ///
  /// - Returns: The result of the body, or `nil` if ``run(_:)`` must be used.
  func runNow<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R) throws -> R? {
    let idle = state.withLock { state -> ConnectionQueue? in
      guard !state.isClosed, state.waiters.isEmpty, let queue = state.idle.popLast() else {
        return nil
      }
      state.busyCount += 1
      return queue
    }
    guard let idle else { return nil }
    defer { giveBack(idle) }
    return try idle.runNow(body)
  }

  /// Creates a connection beyond the limit, which is closed when it is released, or with the pool.
  func open() throws -> ConnectionQueue { try state.withLock { try open(&$0) } }

  /// Refuses new work, waits for what is running, and closes the connections.
  func close() async {
    let (waiters, queues) = state.withLock { state in
      state.isClosed = true
      defer { state.waiters = FairQueue() }
      return (Array(state.waiters), state.all.compactMap(\.queue))
    }
    for waiter in waiters { waiter.resume(throwing: LoadError.storeClosed) }
    for queue in queues { await queue.close() }
  }
}

extension ConnectionPool {
  private func take() async throws -> ConnectionQueue {
    if let queue = try state.withLock({ try takeFree(&$0) }) { return queue }
    let ticket = Mutex<FairQueue<Waiter>.Ticket?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        let result = state.withLock { state in
          Result {
            // A later cancellation finds the ticket.
            try Task.checkCancellation()
            let queue = try takeFree(&state)
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

  /// Takes a free connection, or opens one; `nil` if the caller must wait.
  private func takeFree(_ state: inout State) throws -> ConnectionQueue? {
    guard !state.isClosed else { throw LoadError.storeClosed }
    guard state.waiters.isEmpty, state.busyCount < limit else { return nil }
    state.busyCount += 1
    return try state.idle.popLast() ?? open(&state)
  }

  private func open(_ state: inout State) throws -> ConnectionQueue {
    guard !state.isClosed else { throw LoadError.storeClosed }
    let queue = ConnectionQueue(connect: connect)
    state.all.removeAll { $0.queue == nil }
    state.all.append(WeakQueue(queue: queue))
    return queue
  }

  private func giveBack(_ queue: ConnectionQueue) {
    let waiter = state.withLock { state -> Waiter? in
      if let waiter = state.waiters.popFirst() { return waiter }
      state.busyCount -= 1
      state.idle.append(queue)
      return nil
    }
    waiter?.resume(returning: queue)
  }
}

/// A connection and the serial queue that it is used on.
actor ConnectionQueue {
  private let executor = QueueExecutor("ResourceStore.ConnectionQueue")
  private let connect: @Sendable () throws -> sending ModelConnection
  private let state = Mutex(State())

  private struct State {
    var connection: ModelConnection?
    var isClosed = false
  }

  // The actor keeps its executor.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates a queue that opens its connection when it is first used.
  init(connect: @escaping @Sendable () throws -> sending ModelConnection) { self.connect = connect }

  /// Runs the body on the queue, unless the task is cancelled already.
  func run<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R) throws -> R {
    try Task.checkCancellation()
    return try runHere(body)
  }

  private nonisolated func runHere<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R)
    throws -> R
  {
    try state.withLock { state in
      guard !state.isClosed else { throw LoadError.storeClosed }
      let connection = try state.connection ?? connect()
      state.connection = connection
      // A transaction that couldn't be rolled back ends with its connection.
      defer { if connection.isInTransaction { state.connection = nil } }
      return try body(connection)
    }
  }

  /// Runs the body on the caller's thread, if the connection is open and doesn't have to wait for
  /// other processes. Nobody else may use the queue meanwhile.
  ///
  /// - Returns: The result of the body, or `nil` if it must run on the queue.
  nonisolated func runNow<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R) throws -> R?
  {
    try Task.checkCancellation()
    guard state.withLock({ $0.connection != nil }) else { return nil }
    return try runHere { connection -> R? in
      try connection.withoutWaiting { try body(connection) }
    }
  }

  /// Closes the connection after what is running. Nothing runs from now on.
  func close() {
    state.withLock { state in
      state.connection = nil
      state.isClosed = true
    }
  }
}

/// Runs an actor on a dispatch queue of its own, so that waiting for a disk blocks none of the
/// threads of Swift's tasks.
private final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(_ name: String) { queue = DispatchQueue(label: name) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure keeps the executor until the job has run.
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
