internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// An error that SQLite reported: the error underneath a `LoadError` of kind `store`.
///
/// See <https://sqlite.org/rescode.html> for the codes.
public struct SQLiteError: Error, Hashable, Sendable {
  /// The extended result code, such as 2067 for a unique key that is taken.
  public let extendedCode: Int32

  /// SQLite's own message.
  public let message: String

  /// The primary result code, such as 19 for a constraint.
  public var code: Int32 { extendedCode & 0xFF }
}

extension SQLiteError {
  /// Takes the message from a connection, which has the one of the call that failed last.
  init(_ code: Int32, of handle: OpaquePointer? = nil) {
    extendedCode = code
    message = String(cString: handle.map { sqlite3_errmsg($0) } ?? sqlite3_errstr(code))
  }

  /// The error for a file whose pages are as they should be, but whose content isn't.
  static var corrupt: SQLiteError { SQLiteError(SQLITE_CORRUPT) }

  /// Whether the operation can succeed as soon as another connection has finished.
  var isTransient: Bool { [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(code) }

  /// Whether the file is damaged, or no database at all.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code) }
}

extension SQLiteError: CustomStringConvertible {
  /// SQLite's message and code.
  public var description: String { "SQLite: \(message) (\(extendedCode))" }
}

extension LoadError {
  /// Translates an SQLite error for users of the store.
  ///
  /// - Parameter action: What failed, as in "can't …". It never contains values.
  init(sqlite error: SQLiteError, doing action: String) {
    let (reason, advice) = Self.explanation(of: error)
    // The beginning is enough of a statement with thousands of values.
    let failure = "can't \(action.prefix(200)): \(error.message)"
    self.init(.store, reason ?? failure, advice: advice, underlying: error)
  }

  private static func explanation(of error: SQLiteError) -> (reason: String?, advice: String?) {
    switch error.code {
    case SQLITE_FULL:
      (
        "there is no room for more",
        "Free space on the disk, or raise maximumSize; what was stored before is still there"
      )
    case SQLITE_READONLY:
      ("the database can only be read", "Check the permissions of the file and of its folder")
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      ("another process is using the database", "Try again, or allow a longer busyTimeout")
    case SQLITE_CORRUPT:
      ("the database is damaged", "Restore it from a copy, or remove the file and load anew")
    case SQLITE_NOTADB:
      ("the file isn't a SQLite database", "Check the path, or remove the file and load anew")
    case SQLITE_CANTOPEN where error.extendedCode == symbolicLink:
      ("the database's file is a symbolic link", "Give the path that the link leads to")
    case SQLITE_CANTOPEN:
      (
        "the database can't be opened: \(error.message)",
        "Check that its folder exists and is writable"
      )
    case SQLITE_CONSTRAINT: constraint(error)
    case SQLITE_TOOBIG:
      ("a value is larger than SQLite takes", "Keep large bytes in files, and their paths here")
    case SQLITE_IOERR:
      ("the disk can't be read or written: \(error.message)", "Check the disk")
    default: (nil, nil)
    }
  }

  /// `SQLITE_CANTOPEN_SYMLINK`, a macro that Swift doesn't import.
  private static let symbolicLink = SQLITE_CANTOPEN | 6 << 8

  private static func constraint(_ error: SQLiteError) -> (reason: String?, advice: String?) {
    // The message names the columns: "UNIQUE constraint failed: Item.guid".
    guard takenKey.contains(error.extendedCode) else {
      return (
        "the database refuses the row: \(error.message)",
        "Give the row what the table's declaration demands"
      )
    }
    return ("a row with the same key is there: \(error.message)", "Use upsert to replace it")
  }

  /// `SQLITE_CONSTRAINT_UNIQUE`, `_PRIMARYKEY` and `_ROWID`, macros that Swift doesn't import.
  private static let takenKey: Set<Int32> = [2067, 1555, 2579]
}

extension LoadError {
  /// Whether it comes of a damaged file.
  var isDamage: Bool { (underlying as? SQLiteError)?.isDamage ?? false }

  /// Whether it comes of a disk that is full, or can't be written for another reason.
  var isFullDisk: Bool {
    (underlying as? SQLiteError).map { [SQLITE_FULL, SQLITE_IOERR].contains($0.code) } ?? false
  }

  /// The error for a file of a newer program.
  init(newerSchema found: Int64, than known: Int) {
    self.init(
      .store,
      "the database was written by a newer program: its schema is version \(found), known is \(known)",
      advice: "Update the program, or use another file")
  }

  /// The error for every use of a store that was closed.
  static var storeClosed: LoadError {
    LoadError(.closed, "the store was closed", advice: "Open it again")
  }
}
