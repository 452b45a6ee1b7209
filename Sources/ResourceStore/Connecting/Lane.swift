internal import ResourceLoading
internal import Synchronization

/// One connection and the queue that it lives on. Whoever has it has it alone: the pool sees to that.
actor Lane {
  private let executor = QueueExecutor("ResourceStore.Lane")
  private let connect: @Sendable () throws -> sending Connection
  private let state = Mutex(State())

  fileprivate struct State {
    var connection: Connection?
    var isClosed = false
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes a lane that opens its connection when it is first used.
  init(connect: @escaping @Sendable () throws -> sending Connection) { self.connect = connect }

  /// Runs the body on the lane's queue, unless the task was cancelled before.
  ///
  /// - Throws: What opening and the body throw, `CancellationError`, or a `LoadError` of kind `closed`.
  func run<R: Sendable>(_ body: @Sendable (Connection) throws -> R) throws -> R {
    try Task.checkCancellation()
    return try runHere(body)
  }

  private nonisolated func runHere<R: Sendable>(
    _ body: @Sendable (Connection) throws -> R
  ) throws -> R {
    try state.withLock { state in
      guard !state.isClosed else { throw LoadError.storeClosed }
      let connection = try state.connection ?? connect()
      state.connection = connection
      return try state.use(connection, body)
    }
  }

  /// Runs the body on the caller's thread, if the connection is open and nobody has to be waited for.
  ///
  /// - Returns: What the body returns, or `nil` where it must run on the queue.
  /// - Throws: What the body throws, or `CancellationError`.
  nonisolated func runNow<R: Sendable>(_ body: @Sendable (Connection) throws -> R) throws -> R? {
    try Task.checkCancellation()
    return try state.withLock { state -> R? in
      guard let connection = state.connection else { return nil }
      return try state.use(connection) { connection -> R? in try connection.withoutWaiting(body) }
    }
  }

  /// Closes the connection, when what is running has ended. Nothing runs from now on.
  func close() {
    state.withLock { state in
      state.connection = nil
      state.isClosed = true
    }
  }
}

extension Lane.State {
  /// A transaction that couldn't even be rolled back goes with its connection.
  fileprivate mutating func use<R: Sendable>(
    _ connection: Connection, _ body: (Connection) throws -> R
  ) rethrows -> R {
    defer { if connection.isInTransaction { self.connection = nil } }
    return try body(connection)
  }
}
