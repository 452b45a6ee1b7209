internal import ResourceLoading
internal import Synchronization

/// The connections of a store's cursors, which are closed with the store.
final class CursorConnections: Sendable {
  private let state = Mutex(State())
  private let connect: @Sendable () throws -> sending ModelConnection

  private struct State {
    var queues: [WeakQueue] = []
    var isClosed = false
  }

  private struct WeakQueue {
    weak let queue: ConnectionQueue<ModelConnection>?
  }

  init(connect: @escaping @Sendable () throws -> sending ModelConnection) {
    self.connect = connect
  }

  /// Creates a connection for a cursor, which owns it.
  ///
  /// - Throws: A `LoadError` of kind `closed`.
  func makeQueue() throws -> ConnectionQueue<ModelConnection> {
    let queue = ConnectionQueue(connect: connect)
    try state.withLock { state in
      guard !state.isClosed else { throw LoadError.storeClosed }
      state.queues.removeAll { $0.queue == nil }
      state.queues.append(WeakQueue(queue: queue))
    }
    return queue
  }

  /// Closes all connections; their cursors throw an error from now on.
  func close() async {
    let queues = state.withLock { state in
      state.isClosed = true
      defer { state.queues = [] }
      return state.queues.compactMap(\.queue)
    }
    for queue in queues { await queue.close() }
  }
}

extension ModelConnection {
  /// The limits of a batch. Its last row may exceed the number of bytes.
  private static var batchLimit: (rows: Int, bytes: Int) { (256, 1 << 16) }

  /// The next rows of the only cursor of this connection.
  ///
  /// - Returns: The rows, and whether there are more. After the last one, the snapshot of the database is released.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`; the cursor has ended then.
  func nextRows<M: StoredModel>(of selection: Selection<M>) throws -> (rows: [M], hasMore: Bool) {
    do {
      guard let statement = try cursor ?? openCursor(selection) else { return ([], false) }
      let decoder = RowDecoder(statement)
      defer { decoder.finish() }
      var (rows, size, hasMore) = ([M](), 0, true)
      while hasMore, rows.count < Self.batchLimit.rows, size < Self.batchLimit.bytes {
        size += decoder.contentSize
        rows.append(try decoder.model(M.self))
        hasMore = try statement.step()
      }
      if !hasMore { closeCursor() }
      return (rows, hasMore)
    } catch {
      closeCursor()
      throw error
    }
  }

  /// The statement at its first row, which keeps the snapshot of the database until it is reset; `nil` if there is no
  /// row.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  private func openCursor<M: StoredModel>(_ selection: Selection<M>) throws -> Statement? {
    guard let statement = try statement(for: SQLQuery(selection)) else { return nil }
    cursor = statement
    guard try statement.step() else {
      closeCursor()
      return nil
    }
    return statement
  }

  private func closeCursor() {
    cursor?.finish()
    cursor = nil
  }
}
