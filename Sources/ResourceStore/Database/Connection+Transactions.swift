internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

extension Connection {
  /// Runs the body in a transaction: all of its changes are kept, or none.
  ///
  /// The transaction takes the write lock at its beginning, so that it waits for other processes
  /// before the body runs and not in the middle.
  func transaction<R>(_ body: () throws -> R) throws -> R {
    changedTables = []
    try execute("BEGIN IMMEDIATE")
    do {
      try checkSchemaVersion()
      let result = try body()
      try Task.checkCancellation()
      try checkTransaction()
      try execute("COMMIT")
      complete(isKept: true)
      return result
    } catch {
      rollBack()
      complete(isKept: false)
      throw error
    }
  }

  /// Runs the body as a part of a transaction: if it throws, none of its changes are kept.
  package func savepoint<R>(_ body: () throws -> R) throws -> R {
    try checkTransaction()
    let (before, completionCount) = (changedTables, completions.count)
    try execute("SAVEPOINT part")
    do {
      let result = try body()
      try execute("RELEASE part")
      return result
    } catch {
      changedTables = before
      schemaMayHaveChanged()
      // Not as a prepared statement, which would throw in a cancelled task. It fails where SQLite
      // has rolled back the whole transaction.
      unsafe sqlite3_exec(handle, "ROLLBACK TO part; RELEASE part", nil, nil, nil)
      complete(from: completionCount, isKept: false)
      throw error
    }
  }

  /// Calls a function when the open transaction ends: with `true` after the commit, and with
  /// `false` if the transaction, or the part of it that is open now, is undone.
  package func onEnd(_ completion: @escaping (Bool) -> Void) { completions.append(completion) }

  private func complete(from index: Int = 0, isKept: Bool) {
    let ended = Array(completions[index...])
    completions.removeSubrange(index...)
    for completion in ended { completion(isKept) }
  }

  /// Checks that SQLite hasn't rolled back the transaction, as it does if the disk is full
  /// (<https://sqlite.org/lang_transaction.html>): every further statement would be a transaction
  /// of its own.
  package func checkTransaction() throws {
    guard !isInTransaction else { return }
    try Task.checkCancellation()
    throw LoadError(
      .store, "an earlier error has undone the transaction",
      advice: "Rethrow errors from the body of the transaction")
  }

  private func checkSchemaVersion() throws {
    let version = try integer("PRAGMA schema_version")
    guard version != schemaVersion else { return }
    schemaVersion = version
    schemaMayHaveChanged()
  }

  /// Runs the body on one snapshot of the database, whatever is committed in the meantime.
  func snapshot<R>(_ body: () throws -> R) throws -> R {
    try execute("BEGIN DEFERRED")
    // Releases the snapshot, in a cancelled task too; nothing was written.
    defer { unsafe sqlite3_exec(handle, "COMMIT", nil, nil, nil) }
    return try body()
  }

  private func rollBack() {
    schemaMayHaveChanged()
    changedTables = []
    guard isInTransaction else { return }
    // In a cancelled task too. If it fails, the queue closes the connection.
    unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
  }
}
