internal import Foundation
internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

extension Connection {
  /// Applies the settings that SQLite doesn't keep in the file.
  func apply(_ settings: SQLiteSettings) throws {
    busyTimeout = settings.busyTimeout
    waitWhileBusy()
    interruptWhenCancelled()
    try retryWhileBusy(for: settings.busyTimeout) { try set(settings) }
  }

  /// Repeats the body while other connections open or close the same file.
  ///
  /// SQLite doesn't call the busy handler when two connections switch a file to WAL, or recover or
  /// remove its log, because it takes this for a deadlock
  /// (<https://sqlite.org/c3ref/busy_handler.html>).
  private func retryWhileBusy(for limit: Duration, _ body: () throws -> Void) throws {
    let end = ContinuousClock.now + limit
    while true {
      do { return try body() } catch let error as LoadError {
        guard error.isTransient, ContinuousClock.now < end else { throw error }
      }
      try Task.checkCancellation()
      usleep(BusyWait.microseconds)
    }
  }

  private func set(_ settings: SQLiteSettings) throws {
    // The first statement that reads the file fails if it isn't a database.
    try checkVersion(settings)
    if !isReadOnly { try execute("PRAGMA journal_mode = WAL") }
    try execute("PRAGMA synchronous = \(settings.syncsEveryCommit ? "FULL" : "NORMAL")")
    #if canImport(Darwin)
      // There `fsync` doesn't wait for the drive. Elsewhere these do nothing.
      try execute("PRAGMA fullfsync = ON")
      try execute("PRAGMA checkpoint_fullfsync = ON")
    #endif
    dataVersion = try integer("PRAGMA data_version")
    // The library creates no triggers or views; those of a file from elsewhere must not call
    // functions.
    try execute("PRAGMA trusted_schema = OFF")
    if let size = settings.maximumSize {
      let pages = Int64(size) / max(1, try integer("PRAGMA page_size"))
      try execute("PRAGMA max_page_count = \(max(1, pages))")
    }
  }

  private func checkVersion(_ settings: SQLiteSettings) throws {
    guard let known = settings.schemaVersion else {
      _ = try integer("PRAGMA schema_version")
      return
    }
    let found = try integer("PRAGMA user_version")
    guard found <= Int64(known) else { throw LoadError(newerSchema: found, than: known, in: name) }
    if found < known, !isReadOnly { try execute("PRAGMA user_version = \(known)") }
  }

  /// Running statements check regularly whether their task is cancelled, and then end with
  /// `SQLITE_INTERRUPT`. See <https://sqlite.org/c3ref/progress_handler.html>.
  private func interruptWhenCancelled() {
    unsafe sqlite3_progress_handler(handle, 1000, { _ in Task.isCancelled ? 1 : 0 }, nil)
  }
}

/// Waiting for another process that holds the lock on the file.
private enum BusyWait {
  static let step = Duration.milliseconds(2)
  static let microseconds: UInt32 = 2000

  /// Sleeps and returns 1, or returns 0 if the limit is reached or the task is cancelled. The
  /// thread is that of the connection's queue, on which nothing else runs.
  static func sleep(after count: Int, of limit: Int) -> Int32 {
    guard count < limit, !Task.isCancelled else { return 0 }
    usleep(microseconds)
    return 1
  }
}

extension Connection {
  /// Waits for other processes up to ``busyTimeout``, or until the task is cancelled.
  /// See <https://sqlite.org/c3ref/busy_handler.html>.
  private func waitWhileBusy() {
    let steps = max(0, busyTimeout / BusyWait.step)
    // The handler takes a pointer and needs only a number.
    let context = unsafe UnsafeMutableRawPointer(bitPattern: Int(min(steps, 1e9)))
    unsafe sqlite3_busy_handler(
      handle,
      { context, count in BusyWait.sleep(after: Int(count), of: Int(bitPattern: context)) },
      unsafe context)
  }

  /// Runs the body without waiting for other processes; `nil` if it would have to wait.
  func withoutWaiting<R>(_ body: () throws -> R) throws -> R? {
    unsafe sqlite3_busy_handler(handle, nil, nil)
    defer { waitWhileBusy() }
    do { return try body() } catch let error as LoadError {
      guard error.isTransient else { throw error }
      return nil
    }
  }
}

extension LoadError {
  /// Whether the operation can succeed as soon as another connection has finished.
  fileprivate var isTransient: Bool { (underlying as? SQLiteError)?.isTransient ?? false }
}
