internal import Foundation

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// What a column holds in the row that a statement stands at; valid until the statement goes on.
///
/// SQLite calls such a value unprotected, since nothing keeps others from the connection meanwhile; here a
/// connection lives on one queue, and has no mutex at all. To ask the value is half the work of asking the
/// statement several times. See <https://sqlite.org/c3ref/value.html>.
struct Cell {
  let handle: OpaquePointer?
  let column: Int32
}

extension Cell {
  /// What kind of value it is: `SQLITE_INTEGER` and so on.
  var kind: Int32 { sqlite3_value_type(handle) }

  var integer: Int64 { sqlite3_value_int64(handle) }

  var real: Double { sqlite3_value_double(handle) }

  var text: String {
    guard let start = sqlite3_value_text(handle) else { return "" }
    let count = Int(sqlite3_value_bytes(handle))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  var blob: Data {
    guard let start = sqlite3_value_blob(handle) else { return Data() }
    return Data(bytes: start, count: Int(sqlite3_value_bytes(handle)))
  }

  var value: StoredValue {
    switch kind {
    case SQLITE_INTEGER: .integer(integer)
    case SQLITE_FLOAT: .real(real)
    case SQLITE_TEXT: .text(text)
    case SQLITE_BLOB: .blob(blob)
    default: .null
    }
  }
}

// What a cell holds if it holds just that; nothing is converted.
extension Cell {
  @inline(__always)
  func exactInteger<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    kind == SQLITE_INTEGER ? T(exactly: integer) : nil
  }

  @inline(__always)
  var exactDouble: Double? { kind == SQLITE_FLOAT ? real : nil }

  /// Making a text takes more code than there shall be in every place that asks for one.
  @inline(never)
  var exactText: String? { kind == SQLITE_TEXT ? text : nil }
}
