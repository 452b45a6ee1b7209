/// One connection and the queue that it lives on.
actor Lane {
  private let executor = QueueExecutor("ResourceStore.Lane")
  private let connect: @Sendable () throws -> Connection
  private var connection: Connection?

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Makes a lane that opens its connection when it is first used.
  init(connect: @escaping @Sendable () throws -> Connection) { self.connect = connect }

  /// Runs the body on the lane's queue, unless the task was cancelled before.
  ///
  /// - Throws: What opening and the body throw, or `CancellationError`.
  func run<R: Sendable>(_ body: @Sendable (Connection) throws -> R) throws -> R {
    try Task.checkCancellation()
    let connection = try connection ?? connect()
    self.connection = connection
    // A transaction that couldn't even be rolled back goes with its connection.
    defer { if connection.isInTransaction { self.connection = nil } }
    return try body(connection)
  }

  /// Closes the connection; the next use would open another.
  func close() { connection = nil }
}
