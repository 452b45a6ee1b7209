internal import Foundation
internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// A prepared statement. Positions of values to bind are 1-based, those of columns 0-based, as in SQLite.
final class Statement {
  let handle: OpaquePointer
  /// How many rows it had last time.
  var rowCount = 0

  /// Has SQLite compile a statement.
  ///
  /// - Throws: A `LoadError` of kind `store` where SQLite refuses the text.
  init(_ text: String, on connection: Connection) throws {
    var prepared: OpaquePointer?
    var text = text
    let code = text.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) {
        sqlite3_prepare_v3(
          connection.handle, $0.baseAddress, Int32(clamping: $0.count),
          UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
      }
    }
    guard code == SQLITE_OK, let prepared else {
      let error = SQLiteError(code, of: connection.handle)
      throw LoadError(sqlite: error, doing: "prepare \(text)")
    }
    handle = prepared
  }

  deinit { sqlite3_finalize(handle) }
}

extension Statement {
  /// Goes to the next row.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: `CancellationError` when the task was cancelled, else a `LoadError` of kind `store`.
  func step() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  /// Makes it ready to run again; what is bound stays.
  func reset() { sqlite3_reset(handle) }

  private func failure(_ code: Int32) -> any Error {
    if code & 0xFF == SQLITE_INTERRUPT || Task.isCancelled && code & 0xFF == SQLITE_BUSY {
      return CancellationError()
    }
    let error = SQLiteError(code, of: sqlite3_db_handle(handle))
    return LoadError(sqlite: error, doing: "run \(String(cString: sqlite3_sql(handle)))")
  }

  /// Turns the result of a bind function into an error.
  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }
}

extension Statement {
  func bind(_ value: StoredValue, at position: Int32) throws {
    switch value {
    case .null: try check(sqlite3_bind_null(handle, position))
    case .integer(let value): try bind(value, at: position)
    case .real(let value): try bind(value, at: position)
    case .text(let value): try bind(value, at: position)
    case .blob(let value): try bind(value, at: position)
    }
  }

  func bind(_ value: Int64, at position: Int32) throws {
    try check(sqlite3_bind_int64(handle, position, value))
  }

  func bind(_ value: Double, at position: Int32) throws {
    try check(sqlite3_bind_double(handle, position, value))
  }

  func bind(_ value: String, at position: Int32) throws {
    var value = value
    try check(
      value.withUTF8 { text in
        // No address would mean NULL, and an empty text may have none.
        guard let start = text.baseAddress else {
          return sqlite3_bind_text(handle, position, "", 0, Self.copying)
        }
        return start.withMemoryRebound(to: CChar.self, capacity: text.count) {
          sqlite3_bind_text64(
            handle, position, $0, UInt64(text.count), Self.copying, UInt8(SQLITE_UTF8))
        }
      })
  }

  func bind(_ value: Data, at position: Int32) throws {
    try check(
      value.withUnsafeBytes { bytes in
        guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, position, 0) }
        return sqlite3_bind_blob64(
          handle, position, bytes.baseAddress, UInt64(bytes.count), Self.copying)
      })
  }

  /// The highest position that can be bound.
  var parameterCount: Int32 { sqlite3_bind_parameter_count(handle) }

  /// Binds `NULL` everywhere.
  func clear() { sqlite3_clear_bindings(handle) }

  /// `SQLITE_TRANSIENT`, a macro that Swift doesn't see: SQLite copies what it is given.
  private static var copying: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
