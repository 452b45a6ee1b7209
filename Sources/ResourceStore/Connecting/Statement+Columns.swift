internal import Foundation

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// The values of the row that a statement stands at.
extension Statement {
  /// How many columns the row has.
  var columnCount: Int32 { sqlite3_column_count(handle) }

  /// The names of the columns, which may have changed since the statement was prepared.
  var columnNames: [String] {
    (0..<columnCount).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
  }

  /// What kind of value is there: `SQLITE_INTEGER` and so on.
  func kind(at column: Int32) -> Int32 { sqlite3_column_type(handle, column) }

  func integer(at column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func real(at column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func text(at column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func blob(at column: Int32) -> Data {
    guard let start = sqlite3_column_blob(handle, column) else { return Data() }
    return Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  func value(at column: Int32) -> StoredValue {
    switch kind(at: column) {
    case SQLITE_INTEGER: .integer(integer(at: column))
    case SQLITE_FLOAT: .real(real(at: column))
    case SQLITE_TEXT: .text(text(at: column))
    case SQLITE_BLOB: .blob(blob(at: column))
    default: .null
    }
  }
}
