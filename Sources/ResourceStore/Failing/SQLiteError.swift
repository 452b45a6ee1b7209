#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// What SQLite said: the error underneath a `LoadError` of kind `store`.
///
/// See <https://sqlite.org/rescode.html> for the codes.
public struct SQLiteError: Error, Hashable, Sendable {
  /// The extended result code, such as 2067 for a unique key that is taken.
  public let extendedCode: Int32

  /// SQLite's own words.
  public let message: String

  /// The primary result code, such as 19 for a constraint.
  public var code: Int32 { extendedCode & 0xFF }
}

extension SQLiteError {
  /// What a connection says about the call that failed last.
  init(_ code: Int32, of handle: OpaquePointer? = nil) {
    extendedCode = code
    message = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
  }
}

extension SQLiteError {
  /// Whether it passes when another connection has done what it is doing.
  var isPassing: Bool { [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(code) }
}

extension SQLiteError: CustomStringConvertible {
  /// SQLite's words and its code.
  public var description: String { "SQLite: \(message) (\(extendedCode))" }
}
