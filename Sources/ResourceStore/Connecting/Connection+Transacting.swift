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
      let result = try body()
      try Task.checkCancellation()
      try execute("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
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
