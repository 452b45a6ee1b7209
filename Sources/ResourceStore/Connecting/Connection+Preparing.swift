internal import Foundation
internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

extension Connection {
  /// Sets what SQLite doesn't keep in the file: how long to wait, how to sync, how far to grow.
  func prepare(for settings: SQLiteSettings) throws {
    busyTimeout = settings.busyTimeout
    waitWhileBusy()
    endWhenCancelled()
    try whileOthersOpen(for: settings.busyTimeout) { try set(settings) }
  }

  /// Tries again while others open or close the same file.
  ///
  /// Where two connections turn a file to WAL, or repair or remove its log, SQLite doesn't ask whether to wait: it
  /// takes the two for waiting for each other (<https://sqlite.org/c3ref/busy_handler.html>).
  private func whileOthersOpen(for limit: Duration, _ body: () throws -> Void) throws {
    let end = ContinuousClock.now + limit
    while true {
      do { return try body() } catch let error as LoadError {
        guard let error = error.underlying as? SQLiteError, error.isPassing,
          ContinuousClock.now < end
        else { throw error }
      }
      try Task.checkCancellation()
      usleep(BusyWait.microseconds)
    }
  }

  private func set(_ settings: SQLiteSettings) throws {
    // The first statement that reads the file: here it shows whether it is a database at all.
    try check(settings)
    if !isReadOnly { try execute("PRAGMA journal_mode = WAL") }
    try execute("PRAGMA synchronous = \(settings.syncsEveryCommit ? "FULL" : "NORMAL")")
    dataVersion = try integer("PRAGMA data_version")
    // Nothing here has triggers or views; a file from elsewhere shall not run any of its own functions.
    try execute("PRAGMA trusted_schema = OFF")
    if let size = settings.maximumSize {
      let pages = Int64(size) / max(1, try integer("PRAGMA page_size"))
      try execute("PRAGMA max_page_count = \(max(1, pages))")
    }
  }

  /// Sees that the file is a database, of a version that is known.
  private func check(_ settings: SQLiteSettings) throws {
    guard let known = settings.schemaVersion else {
      _ = try integer("PRAGMA schema_version")
      return
    }
    let found = try integer("PRAGMA user_version")
    guard found <= Int64(known) else { throw LoadError(newerSchema: found, than: known) }
    if found < known, !isReadOnly { try execute("PRAGMA user_version = \(known)") }
  }

  /// Asks a running statement every now and then whether the task that runs it was cancelled; then it ends
  /// with `SQLITE_INTERRUPT`. See <https://sqlite.org/c3ref/progress_handler.html>.
  private func endWhenCancelled() {
    sqlite3_progress_handler(handle, 1000, { _ in Task.isCancelled ? 1 : 0 }, nil)
  }

  /// Waits for another process that writes, but not for longer than a limit and not for a task that was
  /// cancelled. See <https://sqlite.org/c3ref/busy_handler.html>.
  private func waitWhileBusy() {
    let steps = max(0, busyTimeout / BusyWait.step)
    // The handler gets a pointer, and all it needs is a number.
    let context = UnsafeMutableRawPointer(bitPattern: Int(min(steps, 1e9)))
    sqlite3_busy_handler(
      handle,
      { context, count in BusyWait.goesOn(after: Int(count), of: Int(bitPattern: context)) },
      context)
  }

  /// Runs the body, but without waiting for other processes.
  ///
  /// - Returns: What the body returns, or `nil` where one would have to be waited for.
  func withoutWaiting<R>(_ body: (Connection) throws -> R) throws -> R? {
    sqlite3_busy_handler(handle, nil, nil)
    defer { waitWhileBusy() }
    do { return try body(self) } catch let error as LoadError {
      guard let reason = error.underlying as? SQLiteError, reason.isPassing else { throw error }
      return nil
    }
  }
}
