internal import Foundation
internal import ResourceLoading
internal import ResourcePrimitives

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

  /// The system error that kept SQLite from opening, reading or writing a file; `nil` if there is
  /// none.
  let system: POSIXErrorCode?

  /// The primary result code, such as 19 for a constraint.
  public var code: Int32 { extendedCode & 0xFF }
}

extension SQLiteError {
  /// Creates an error with the message of the connection's last failed call.
  init(_ code: Int32, of handle: OpaquePointer? = nil) {
    system = unsafe Self.systemError(code, of: handle)
    let isUnread = code & 0xFF == SQLITE_CORRUPT && system != nil
    extendedCode = isUnread ? Self.unreadPage : code
    if let handle = unsafe handle, !isUnread {
      // Copied at once: the next call of SQLite changes it.
      message = unsafe String(cString: sqlite3_errmsg(handle))
    } else {
      message = unsafe String(cString: sqlite3_errstr(extendedCode))
    }
  }

  /// The error of the system call that failed, if it is known. SQLite records it only for some
  /// failures, so the thread's `errno` is checked first, which was 0 before the call. A file that
  /// SQLite didn't find leaves another value there.
  private static func systemError(_ code: Int32, of handle: OpaquePointer?) -> POSIXErrorCode? {
    let last = POSIXErrorCode(rawValue: errno)
    switch code & 0xFF {
    // SQLite reports a page that couldn't be read as a damaged one.
    case SQLITE_CORRUPT: return last.flatMap { [.EIO, .ENXIO].contains($0) ? $0 : nil }
    case SQLITE_CANTOPEN, SQLITE_IOERR:
      if let last, ofFiles.contains(last) { return last }
      return unsafe handle.flatMap { unsafe POSIXErrorCode(rawValue: sqlite3_system_errno($0)) }
    default: return nil
    }
  }

  private static let ofFiles: Set<POSIXErrorCode> = [
    .EIO, .ENXIO, .ENOSPC, .EDQUOT, .EFBIG, .EMFILE, .ENFILE, .ENOMEM, .EROFS, .EISDIR,
  ]

  /// `SQLITE_IOERR_CORRUPTFS`, a macro that Swift doesn't import.
  private static let unreadPage = SQLITE_IOERR | 33 << 8

  /// The error for a file whose pages are valid, but whose content isn't.
  package static var corrupt: SQLiteError {
    errno = 0
    return unsafe SQLiteError(SQLITE_CORRUPT)
  }

  /// Whether the operation can succeed as soon as another connection has finished.
  var isTransient: Bool { [SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL].contains(code) }

  /// Whether the file is damaged, or no database at all.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code) }
}

extension SQLiteError: CustomStringConvertible {
  /// SQLite's message and code.
  public var description: String { "SQLite: \(message) (\(extendedCode))" }
}

extension SQLiteError: PassingFailure {
  /// Whether the same operation can succeed later: another connection uses the file, or there is no
  /// room, memory or descriptor at the moment, or the disk couldn't be read once.
  package var mayPass: Bool {
    isTransient
      || [SQLITE_FULL, SQLITE_IOERR, SQLITE_NOMEM, SQLITE_CANTOPEN].contains(code)
        && extendedCode != Self.symbolicLink
  }

  /// `SQLITE_CANTOPEN_SYMLINK`, a macro that Swift doesn't import.
  static let symbolicLink = SQLITE_CANTOPEN | 6 << 8
}
