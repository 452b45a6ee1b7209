internal import Foundation
internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

extension LoadError {
  /// Translates an SQLite error for users of the store. `action` follows “can't” and never contains
  /// values.
  init(sqlite error: SQLiteError, of database: String, doing action: String) {
    let (reason, advice) = Self.explanation(of: error, database)
    // The beginning is enough of a statement with thousands of values.
    let failure = "\(database): can't \(action.prefix(200)): \(error.message)"
    self.init(.store, reason ?? failure, advice: advice, underlying: error)
  }

  private static func explanation(
    of error: SQLiteError, _ database: String
  ) -> (reason: String?, advice: String?) {
    switch error.code {
    case SQLITE_FULL:
      (
        "there is no room for more in \(database)",
        "Free space on the disk, or raise maximumSize; what was stored before is still there"
      )
    case SQLITE_READONLY:
      ("\(database) can only be read", "Check the permissions of the file and of its folder")
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL:
      (
        "another process is using \(database)", "Try again, or allow a longer busyTimeout"
      )
    case SQLITE_CORRUPT:
      ("\(database) is damaged", "Restore it from a copy, or remove the file and load anew")
    case SQLITE_NOTADB:
      ("\(database) isn't a SQLite database", "Check the path, or remove the file and load anew")
    case SQLITE_CANTOPEN where error.extendedCode == SQLiteError.symbolicLink:
      ("\(database) is a symbolic link", "Give the path that the link leads to")
    case SQLITE_CANTOPEN:
      (
        "\(database) can't be opened: \(error.cause)",
        error.systemAdvice ?? "Check that its folder exists and is writable"
      )
    case SQLITE_IOERR:
      (
        "\(database) can't be read or written: \(error.cause)",
        error.systemAdvice ?? "Check the disk"
      )
    case SQLITE_NOMEM:
      ("there is no memory left for \(database)", "Use less memory, or read fewer rows at once")
    case SQLITE_TOOBIG:
      ("a value is too large for \(database)", "Keep large bytes in files, and their paths here")
    case SQLITE_CONSTRAINT: constraint(error, database)
    default: (nil, nil)
    }
  }

  private static func constraint(
    _ error: SQLiteError, _ database: String
  ) -> (reason: String?, advice: String?) {
    // The message names the columns: "UNIQUE constraint failed: Item.guid".
    guard takenKey.contains(error.extendedCode) else {
      return (
        "\(database) refuses the row: \(error.message)",
        "Give the row what the table's declaration demands"
      )
    }
    return ("\(database) has a row with the same key: \(error.message)", "Use upsert to replace it")
  }

  /// `SQLITE_CONSTRAINT_UNIQUE`, `_PRIMARYKEY` and `_ROWID`, macros that Swift doesn't import.
  fileprivate static let takenKey: Set<Int32> = [2067, 1555, 2579]
}

extension POSIXErrorCode {
  /// The system's text for the error, such as `Too many open files`.
  package var text: String {
    // The text of every code is constant, or that of this thread.
    unsafe String(cString: strerror(rawValue))
  }
}

extension LoadError {
  /// Whether a row was refused because another one has the same key.
  var isTakenKey: Bool {
    (underlying as? SQLiteError).map { Self.takenKey.contains($0.extendedCode) } ?? false
  }
}

extension SQLiteError {
  /// The system's text for the error, or otherwise SQLite's.
  fileprivate var cause: String {
    system?.text ?? message
  }

  /// Advice for an error of the system; `nil` if it depends on the operation.
  fileprivate var systemAdvice: String? {
    switch system {
    case .EMFILE, .ENFILE: "Raise the process's limit of descriptors (ulimit -n), or open fewer"
    case .EFBIG: "Raise the limit of the size of files (ulimit -f), or set maximumSize below it"
    case .ENOSPC, .EDQUOT: "Free space on the disk; what was stored before is still there"
    case .ENOMEM: "Use less memory, or read fewer rows at once"
    case .EACCES, .EPERM, .EROFS: "Check the permissions of the file and of its folder"
    case .EISDIR: "Give the path of a file, not of a folder"
    default: nil
    }
  }
}

extension LoadError {
  /// Whether a damaged file caused it.
  package var isDamage: Bool { (underlying as? SQLiteError)?.isDamage ?? false }

  /// The error for a file of a newer program.
  init(newerSchema found: Int64, than known: Int, in database: String) {
    self.init(
      .store,
      "\(database) was written by a newer program: its schema is version \(found), known is \(known)",
      advice: "Update the program, or use another file")
  }

  /// The error for each use of a store that was closed.
  static var storeClosed: LoadError {
    LoadError(.closed, "the store was closed", advice: "Open it again")
  }
}
