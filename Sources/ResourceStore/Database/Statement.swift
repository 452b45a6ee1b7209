package import Foundation
internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// A prepared statement. As in SQLite, parameters are counted from 1 and columns from 0.
@safe package final class Statement {
  /// SQLite's statement, which is valid until the end of `deinit`: SQLite keeps a closed connection
  /// until its last statement is finalised (<https://sqlite.org/c3ref/close.html>). SQLite copies
  /// what is bound to it, and what it returns is copied at once.
  let handle: OpaquePointer
  private let database: String

  init(_ text: String, on connection: Connection) throws {
    var prepared: OpaquePointer?
    var (text, code, count) = (text, SQLITE_SCHEMA, 0)
    // If other connections change the schema in the meantime, SQLite begins anew once here, and 50
    // times where it prepares a statement for a step.
    while code == SQLITE_SCHEMA, count < 50 {
      errno = 0
      count += 1
      code = text.withUTF8 { text in
        unsafe text.withMemoryRebound(to: CChar.self) {
          unsafe sqlite3_prepare_v3(
            connection.handle, $0.baseAddress, Int32(clamping: $0.count),
            UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        }
      }
    }
    guard code == SQLITE_OK, let prepared = unsafe prepared else {
      let error = unsafe SQLiteError(code, of: connection.handle)
      throw LoadError(sqlite: error, of: connection.name, doing: "prepare \(text)")
    }
    unsafe handle = prepared
    database = connection.name
  }

  deinit { unsafe sqlite3_finalize(handle) }
}

extension Statement {
  /// Steps to the next row; returns `false` if there is none.
  func step() throws -> Bool {
    // So that `errno` is that of this step.
    errno = 0
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw failure(code)
    }
  }

  /// Rewinds the statement; bound values stay.
  func reset() { unsafe sqlite3_reset(handle) }

  func clear() { unsafe sqlite3_clear_bindings(handle) }

  /// Rewinds the statement and releases the bound values.
  func finish() {
    reset()
    clear()
  }

  private func failure(_ code: Int32) -> any Error {
    if code & 0xFF == SQLITE_INTERRUPT || Task.isCancelled && code & 0xFF == SQLITE_BUSY {
      return CancellationError()
    }
    let error = unsafe SQLiteError(code, of: sqlite3_db_handle(handle))
    return LoadError(
      sqlite: error, of: database, doing: unsafe "run \(String(cString: sqlite3_sql(handle)))")
  }
}

// The values of the current row.
extension Statement {
  var columnCount: Int32 { unsafe sqlite3_column_count(handle) }

  /// The names of the columns, which may have changed since the statement was prepared.
  var columnNames: [String] {
    (0..<columnCount).map {
      unsafe sqlite3_column_name(handle, $0).map { unsafe String(cString: $0) } ?? ""
    }
  }

  package func value(at column: Int32) -> ColumnValue {
    unsafe ColumnValue(handle: sqlite3_column_value(handle, column))
  }

  package func integer(at column: Int32) -> Int64 { value(at: column).integer }

  package func real(at column: Int32) -> Double { value(at: column).real }

  package func text(at column: Int32) -> String { value(at: column).text }

  package func blob(at column: Int32) -> Data { value(at: column).blob }
}

// Parameters. Each function throws a `LoadError` of kind `store` for a value that is too large, and
// for a position that the statement doesn't have.
extension Statement {
  var parameterCount: Int32 { unsafe sqlite3_bind_parameter_count(handle) }

  /// Binds values to the positions from 1 on.
  func bind(_ values: [StoredValue]) throws {
    for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1)) }
  }

  func bind(_ value: StoredValue, at position: Int32) throws {
    switch value {
    case .null: try unsafe check(sqlite3_bind_null(handle, position))
    case .integer(let value): try bind(value, at: position)
    case .real(let value): try bind(value, at: position)
    case .text(let value): try bind(value, at: position)
    case .blob(let value): try bind(value, at: position)
    }
  }

  func bind(_ value: Int64, at position: Int32) throws {
    try unsafe check(sqlite3_bind_int64(handle, position, value))
  }

  func bind(_ value: Double, at position: Int32) throws {
    try unsafe check(sqlite3_bind_double(handle, position, value))
  }

  func bind(_ value: String, at position: Int32) throws {
    var value = value
    try check(
      value.withUTF8 { text in
        // A null pointer would mean NULL, and an empty text may have no address.
        guard let start = text.baseAddress else {
          return unsafe sqlite3_bind_text(handle, position, "", 0, Self.copying)
        }
        return unsafe start.withMemoryRebound(to: CChar.self, capacity: text.count) {
          unsafe sqlite3_bind_text64(
            handle, position, $0, UInt64(text.count), Self.copying, UInt8(SQLITE_UTF8))
        }
      })
  }

  func bind(_ value: Data, at position: Int32) throws {
    try unsafe check(
      value.withUnsafeBytes { bytes in
        guard unsafe !bytes.isEmpty else {
          return unsafe sqlite3_bind_zeroblob(handle, position, 0)
        }
        return unsafe sqlite3_bind_blob64(
          handle, position, bytes.baseAddress, UInt64(bytes.count), Self.copying)
      })
  }

  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// `SQLITE_TRANSIENT`, a cast in a macro that Swift doesn't import: SQLite copies what it is
  /// given.
  private static var copying: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
