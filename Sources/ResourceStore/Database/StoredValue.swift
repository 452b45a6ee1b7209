package import Foundation

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// A value as SQLite stores it (<https://sqlite.org/datatype3.html>).
package enum StoredValue: Sendable, Hashable {
  case null
  case integer(Int64)
  /// A floating-point number, never NaN.
  case real(Double)
  /// A text, which may contain NUL.
  case text(String)
  case blob(Data)

  /// SQLite's form of a truth value.
  package static func bool(_ value: Bool) -> StoredValue { .integer(value ? 1 : 0) }
}

/// The value of a column in a statement's current row; valid until the statement steps on.
///
/// Fetching the `sqlite3_value` once costs half of calling `sqlite3_column_type` and
/// `sqlite3_column_int64`. SQLite calls such a value unprotected because another thread could use
/// the connection; a connection here has no mutex and is confined to one queue. See
/// <https://sqlite.org/c3ref/value.html>.
@safe package struct ColumnValue {
  /// SQLite's value, which no reader keeps beyond the next step. Texts and blobs are copied, with
  /// the length that SQLite returns after their address.
  let handle: OpaquePointer?

  /// The storage class: `SQLITE_INTEGER` and so on.
  var kind: Int32 { unsafe sqlite3_value_type(handle) }

  package var isNull: Bool { kind == SQLITE_NULL }

  var integer: Int64 { unsafe sqlite3_value_int64(handle) }

  var real: Double { unsafe sqlite3_value_double(handle) }

  var text: String {
    guard let start = unsafe sqlite3_value_text(handle) else { return "" }
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  var blob: Data {
    guard let start = unsafe sqlite3_value_blob(handle) else { return Data() }
    return unsafe Data(bytes: start, count: count)
  }

  /// The number of bytes of a text or a blob.
  private var count: Int { unsafe Int(sqlite3_value_bytes(handle)) }
}

extension ColumnValue {
  /// The integer, if the column holds one that fits.
  func exactInteger<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    kind == SQLITE_INTEGER ? T(exactly: integer) : nil
  }

  var exactReal: Double? { kind == SQLITE_FLOAT ? real : nil }

  package var exactText: String? { kind == SQLITE_TEXT ? text : nil }

  package var stored: StoredValue {
    switch kind {
    case SQLITE_INTEGER: .integer(integer)
    case SQLITE_FLOAT: .real(real)
    case SQLITE_TEXT: .text(text)
    case SQLITE_BLOB: .blob(blob)
    default: .null
    }
  }

  /// The number of bytes of a text or a blob, 0 for other values.
  var contentSize: Int { [SQLITE_TEXT, SQLITE_BLOB].contains(kind) ? count : 0 }
}
