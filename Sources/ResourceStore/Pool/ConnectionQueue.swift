internal import Dispatch
internal import ResourceLoading
internal import Synchronization

/// A connection and the serial queue that it is used on.
actor ConnectionQueue {
  private let executor = QueueExecutor("ResourceStore.ConnectionQueue")
  private let connect: @Sendable () throws -> sending ModelConnection
  private let state = Mutex(State())

  private struct State {
    var connection: ModelConnection?
    var isClosed = false
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Creates a queue that opens its connection when it is first used.
  init(connect: @escaping @Sendable () throws -> sending ModelConnection) { self.connect = connect }

  /// Runs the body on the queue, unless the task is cancelled already.
  ///
  /// - Throws: What opening and the body throw, `CancellationError`, or a `LoadError` of kind `closed`.
  func run<R: Sendable>(_ body: @Sendable (ModelConnection) throws -> R) throws -> R {
    try Task.checkCancellation()
    return try runHere(body)
  }

  /// - Throws: What opening and the body throw, or a `LoadError` of kind `closed`.
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

  /// Runs the body on the caller's thread, if the connection is open and doesn't have to wait for other processes.
  /// Nobody else may use the queue meanwhile.
  ///
  /// - Returns: The result of the body, or `nil` if it must run on the queue.
  /// - Throws: What the body throws, or `CancellationError`.
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

/// Runs an actor on a dispatch queue of its own, so that waiting for a disk blocks none of the threads of Swift's
/// tasks.
private final class QueueExecutor: SerialExecutor {
  private let queue: DispatchQueue

  init(_ name: String) { queue = DispatchQueue(label: name) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
