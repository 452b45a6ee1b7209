public import Foundation

/// A SQLite database of models, in a file or in memory.
///
/// Writes run one after another, on a connection and a thread of their own. Reads run at the same
/// time, several at once, each on one state of the database (WAL, <https://sqlite.org/wal.html>).
/// They block none of the threads of Swift's tasks, with one exception: a selection that matches at
/// most one row by a key runs on the caller's thread if a connection is free, because a change of
/// threads takes several times as long. Cancelling the task of a read interrupts it; cancelling
/// that of a write undoes it, unless it has been committed already.
///
/// Other processes on the same machine may use the same file: a write waits for theirs, up to
/// ``SQLiteSettings/busyTimeout``.
public final class SQLiteStore: Sendable {
  package let writer: ConnectionPool
  let readers: ConnectionPool
  package let changes = Broadcast<ChangedTables>()
  package let settings: SQLiteSettings
  package let location: DatabaseLocation

  /// Opens a database file, and creates it if it doesn't exist.
  ///
  /// - Parameters:
  ///   - file: A file URL. While the file is in use, there are two more beside it, with `-wal` and
  ///     `-shm` appended to the name.
  ///   - settings: The settings.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` if the file can't be opened,
  ///   is damaged, isn't a database, or has a newer schema than ``SQLiteSettings/schemaVersion``.
  public convenience init(file: URL, settings: SQLiteSettings = SQLiteSettings()) async throws {
    try await self.init(.file(file), settings)
  }

  /// Creates a database in memory, which is released with the store. Its reads wait for its writes.
  ///
  /// - Parameter settings: The settings.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` if SQLite has no memory.
  public static func inMemory(settings: SQLiteSettings = SQLiteSettings()) async throws
    -> SQLiteStore
  {
    try await SQLiteStore(.memory, settings)
  }

  private init(_ location: DatabaseLocation, _ settings: SQLiteSettings) async throws {
    self.settings = settings
    self.location = location
    writer = ConnectionPool(limit: 1) { try ModelConnection(location, settings) }
    readers =
      switch location {
      case .memory: writer
      case .file:
        ConnectionPool(limit: settings.maximumReaders) {
          try ModelConnection(location, settings.forReading)
        }
      }
    try await writer.run { _ in }
  }

  deinit { changes.finish() }
}

extension SQLiteStore {
  /// Waits for running operations, closes the database, and ends every ``Updates`` and
  /// ``ModelRows``. Later operations throw a `LoadError` of kind `closed`. Closing twice does
  /// nothing.
  ///
  /// Releasing the store closes it, too.
  public func close() async {
    changes.finish()
    await readers.close()
    await writer.close()
  }
}

extension SQLiteStore {
  /// Runs several operations in one transaction: all of their changes are kept, or none.
  ///
  /// ```swift
  /// try await store.transaction { transaction in
  ///   try transaction.upsert(feed)
  ///   try transaction.insert(items)
  /// }
  /// ```
  ///
  /// - Parameter body: Runs once, on the thread that writes. Concurrent reads see the state before.
  ///   An error that it throws undoes all changes.
  /// - Returns: The result of the body, after the commit.
  /// - Throws: What the body throws, `CancellationError` if the task was cancelled before the
  ///   commit, or a `LoadError` of kind `store` or `closed`.
  public func transaction<R: Sendable>(
    _ body: @Sendable (ModelTransaction) throws -> R
  ) async throws -> R {
    try await write { try body(ModelTransaction($0)) }
  }

  package func write<R: Sendable>(
    _ body: @Sendable (ModelConnection) throws -> R
  ) async throws -> R {
    try await writer.run { connection in
      let result = try connection.transaction { try body(connection) }
      self.changes.send(connection.changedTables)
      return result
    }
  }

  /// Runs several queries on one state of the database, whatever is committed in the meantime.
  ///
  /// - Parameter body: Runs once, on a thread for reading.
  /// - Returns: The result of the body.
  /// - Throws: What the body throws, `CancellationError`, or a `LoadError` of kind `store` or
  ///   `closed`.
  public func read<R: Sendable>(_ body: @Sendable (ModelSnapshot) throws -> R) async throws -> R {
    try await snapshot { try body(ModelSnapshot($0)) }
  }

  package func snapshot<R: Sendable>(
    _ body: @Sendable (ModelConnection) throws -> R
  ) async throws -> R {
    try await readers.run { connection in try connection.snapshot { try body(connection) } }
  }
}
