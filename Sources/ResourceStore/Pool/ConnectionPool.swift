internal import Dispatch
internal import ResourceLoading
internal import ResourcePrimitives
internal import Synchronization

/// A limited number of connections. When all are in use, callers wait for the next one in a fair
/// queue; a waiting task can be cancelled.
package final class ConnectionPool: Sendable {
  private let connect: @Sendable () throws -> sending ModelConnection
  private let queues: Pool<ConnectionQueue>
  private let opened: Opened

  /// Creates a pool that opens its connections as they are needed.
  init(limit: Int, connect: @escaping @Sendable () throws -> sending ModelConnection) {
    self.connect = connect
    let opened = Opened()
    self.opened = opened
    queues = Pool(limit: limit) { try opened.add(ConnectionQueue(connect: connect)) }
  }

  /// Runs the body with a connection, on the connection's queue.
  package func run<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R) async throws -> R {
    let queue = try await queues.take()
    defer { queues.giveBack(queue) }
    return try await queue.run(body)
  }

  /// Runs the body on the caller's thread if a connection is open and free. Otherwise it returns
  /// `nil`, and ``run(_:)`` must be used.
  func runNow<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R) throws -> R? {
    guard let queue = queues.takeIdle() else { return nil }
    defer { queues.giveBack(queue) }
    return try queue.runNow(body)
  }

  /// Creates a connection beyond the limit, which is closed when it is released, or with the pool.
  func open() throws -> ConnectionQueue { try opened.add(ConnectionQueue(connect: connect)) }

  /// Refuses new work, waits for what is running, and closes the connections.
  func close() async {
    queues.close(LoadError.storeClosed)
    for queue in opened.close() { await queue.close() }
  }
}

/// The connections to be closed with their pool.
private final class Opened: Sendable {
  /// `nil` once they were closed.
  private let queues = Mutex<[WeakQueue]?>([])

  private struct WeakQueue {
    weak let queue: ConnectionQueue?
  }

  func add(_ queue: ConnectionQueue) throws -> ConnectionQueue {
    try queues.withLock { queues in
      guard let others = queues else { throw LoadError.storeClosed }
      queues = others.filter { $0.queue != nil } + [WeakQueue(queue: queue)]
    }
    return queue
  }

  func close() -> [ConnectionQueue] {
    (queues.withLock { $0.take() } ?? []).compactMap(\.queue)
  }
}

actor ConnectionQueue {
  private let executor = QueueExecutor("ResourceStore.ConnectionQueue")
  private let connect: @Sendable () throws -> sending ModelConnection
  private var connection: ModelConnection?
  private var isClosed = false

  // The actor keeps its executor.
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates a queue that opens its connection when it is first used.
  init(connect: @escaping @Sendable () throws -> sending ModelConnection) { self.connect = connect }

  /// Runs the body on the queue, unless the task is cancelled already.
  func run<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R) throws -> R {
    try Task.checkCancellation()
    guard !isClosed else { throw LoadError.storeClosed }
    let connection = try self.connection ?? connect()
    self.connection = connection
    // A transaction that couldn't be rolled back ends with its connection.
    defer { if connection.isInTransaction { self.connection = nil } }
    return try body(connection)
  }

  /// Runs the body on the queue and on the caller's thread, if the connection is open and doesn't
  /// have to wait for other processes. Otherwise it returns `nil`, and ``run(_:)`` must be used.
  /// Nothing else may use the queue in the meantime.
  nonisolated func runNow<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R) throws -> R?
  {
    try executor.queue.sync {
      try assumeIsolated { queue in
        guard queue.connection != nil else { return nil }
        return try queue.run { connection in try connection.withoutWaiting { try body(connection) }
        }
      }
    }
  }

  /// Closes the connection after the running work. Nothing runs after that.
  func close() { (connection, isClosed) = (nil, true) }
}

/// Runs an actor on a dispatch queue of its own, so that waiting for a disk blocks none of the
/// threads of Swift's tasks.
private final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(_ name: String) { queue = DispatchQueue(label: name) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // The closure keeps the executor until the job has run.
    queue.async { [self] in unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
