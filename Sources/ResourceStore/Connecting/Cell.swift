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
}

extension Cell {
  /// What kind of value it is: `SQLITE_INTEGER` and so on.
  var kind: Int32 { sqlite3_value_type(handle) }

  var integer: Int64 { sqlite3_value_int64(handle) }

  var real: Double { sqlite3_value_double(handle) }

  var text: String { String(decoding: textBytes, as: UTF8.self) }

  var blob: Data { Data(blobBytes) }

  /// The text in UTF-8.
  var textBytes: UnsafeRawBufferPointer {
    guard let start = sqlite3_value_text(handle) else { return .empty }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(handle)))
  }

  var blobBytes: UnsafeRawBufferPointer {
    guard let start = sqlite3_value_blob(handle) else { return .empty }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(handle)))
  }
}

extension UnsafeRawBufferPointer {
  fileprivate static var empty: Self { Self(start: nil, count: 0) }
}
