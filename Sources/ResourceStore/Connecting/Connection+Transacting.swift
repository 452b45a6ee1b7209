internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

extension Connection {
  /// Does what the body does as one transaction: all of it is kept, or nothing.
  ///
  /// It takes the lock for writing at once, so that another process is waited for before anything is
  /// done and not in the middle.
  ///
  /// - Throws: What the body throws, `CancellationError`, or a `LoadError` of kind `store`.
  func transaction<R>(_ body: () throws -> R) throws -> R {
    changed = []
    try execute("BEGIN IMMEDIATE")
    do {
      try lookForOtherSchema()
      let result = try body()
      try Task.checkCancellation()
      try checkTransaction()
      try execute("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Does what the body does as a part of a transaction: where it throws, nothing of the part is kept.
  ///
  /// - Throws: What the body throws, or a `LoadError` of kind `store`.
  func atomically<R>(_ body: () throws -> R) throws -> R {
    try checkTransaction()
    let before = changed
    try execute("SAVEPOINT part")
    do {
      let result = try body()
      try execute("RELEASE part")
      return result
    } catch {
      (tables, changed) = ([:], before)
      // Also for a task that was cancelled; there is none any more where SQLite has undone the whole transaction.
      sqlite3_exec(handle, "ROLLBACK TO part; RELEASE part", nil, nil, nil)
      throw error
    }
  }

  /// Refuses to go on where SQLite has undone the transaction, as it does when the disk is full
  /// (<https://sqlite.org/lang_transaction.html>): each further statement would be kept by itself.
  func checkTransaction() throws {
    guard !isInTransaction else { return }
    try Task.checkCancellation()
    throw LoadError(
      .store, "the transaction was undone by an error before",
      advice: "Let the error leave the transaction's body")
  }

  /// Forgets what is known of tables when another connection has changed them.
  private func lookForOtherSchema() throws {
    let version = try integer("PRAGMA schema_version")
    guard version != schemaVersion else { return }
    schemaVersion = version
    tables = [:]
  }

  /// Does what the body does on one state of the database, whatever is committed meanwhile.
  ///
  /// - Throws: What the body throws, `CancellationError`, or a `LoadError` of kind `store`.
  func snapshot<R>(_ body: () throws -> R) throws -> R {
    try execute("BEGIN DEFERRED")
    // Nothing was written, so it is only let go; also for a task that was cancelled.
    defer { sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
    return try body()
  }

  private func rollBack() {
    // What it knows of tables may have been undone.
    tables = [:]
    changed = []
    guard isInTransaction else { return }
    // Also for a task that was cancelled; where it fails, the lane lets the connection go.
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }
}
