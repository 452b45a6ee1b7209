internal import Foundation
internal import ResourceLoading
internal import Synchronization

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// Where a database is.
enum DatabasePlace: Sendable {
  case file(URL)
  /// In the memory of the one connection that has it.
  case memory
}

extension DatabasePlace {
  /// Held while a file is made and while one is opened. Closing a descriptor gives up the locks that other
  /// descriptors of the process have on the file (<https://sqlite.org/howtocorrupt.html>, section 2.2): no connection
  /// may have one yet.
  private static let opening = Mutex(())

  /// Opens a connection; a file is made first if it isn't there.
  ///
  /// - Throws: A `LoadError` of kind `store`.
  func open(isReadOnly: Bool) throws -> OpaquePointer {
    try Self.opening.withLock { _ in
      let path = path
      if case .file = self, !isReadOnly { Self.makePrivateFile(path) }
      let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      var opened: OpaquePointer?
      let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
      let code = sqlite3_open_v2(path, &opened, flags, nil)
      if code == SQLITE_OK, let opened { return opened }
      defer { sqlite3_close_v2(opened) }
      throw LoadError(sqlite: SQLiteError(code, of: opened), doing: "open \(self)")
    }
  }

  /// Makes an empty file, which only its user may read, unless there is one. SQLite gives the files that it makes
  /// beside it the same permissions; a file of its own making would be everyone's to read.
  ///
  /// What goes wrong here goes wrong again when SQLite opens the file, which tells it.
  private static func makePrivateFile(_ path: String) {
    let descriptor = Foundation.open(
      path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  /// The path as SQLite wants it. The folder's links are followed; SQLite itself follows none then.
  private var path: String {
    switch self {
    case .file(let url):
      let folder = url.deletingLastPathComponent().path(percentEncoded: false)
      guard let resolved = realpath(folder, nil) else { return url.path(percentEncoded: false) }
      defer { free(resolved) }
      return "\(String(cString: resolved))/\(url.lastPathComponent)"
    case .memory: return ":memory:"
    }
  }
}

extension DatabasePlace: CustomStringConvertible {
  var description: String {
    switch self {
    case .file(let url): "the database \(url.lastPathComponent)"
    case .memory: "a database in memory"
    }
  }
}
