package import Foundation
internal import ResourceLoading
internal import Synchronization

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

package enum DatabaseLocation: Sendable {
  case file(URL)
  case memory
}

extension DatabaseLocation {
  /// Held while a file is created and while one is opened. Closing a descriptor releases the locks
  /// that other descriptors of the process hold on the file
  /// (<https://sqlite.org/howtocorrupt.html>, section 2.2), so no connection may hold one at that
  /// time.
  private static let opening = Mutex(())

  func open(_ settings: SQLiteSettings) throws -> OpaquePointer {
    try unsafe Self.opening.withLock { _ in
      let path = path
      if case .file = self, !settings.isReadOnly {
        Self.createPrivateFile(path)
        for suffix in ["", "-wal", "-shm", "-journal"] {
          try Self.protect(path + suffix, keepsPermissions: settings.keepsPermissions)
        }
      }
      let access =
        settings.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      var opened: OpaquePointer?
      // So that `errno` is that of this call.
      errno = 0
      let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
      // The path lives until the call returns, and what it has opened is closed or returned.
      let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
      if code == SQLITE_OK, let opened = unsafe opened { return unsafe opened }
      defer { unsafe sqlite3_close_v2(opened) }
      throw unsafe LoadError(
        sqlite: SQLiteError(code, of: opened), of: "\(self)", doing: "open \(self)")
    }
  }

  /// Creates an empty file that only its user may read, unless it exists. SQLite gives the files
  /// that it creates beside it the same permissions; a database file created by SQLite would be
  /// readable by everyone.
  ///
  /// Errors are ignored, because SQLite meets and reports them when it opens the file.
  private static func createPrivateFile(_ path: String) {
    let descriptor = unsafe Foundation.open(
      path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
  }

  /// Checks that a file can only be reached by its own name, and denies other users access. The
  /// file isn't opened for that, because closing it would release locks.
  private static func protect(_ path: String, keepsPermissions: Bool) throws {
    var status = stat()
    // Each call gets a path that lives until it returns.
    guard unsafe lstat(path, &status) == 0 else { return }
    let kind = status.st_mode & S_IFMT
    if kind == S_IFLNK { throw LoadError(link: "a symbolic link", path) }
    guard kind == S_IFREG else { return }
    if status.st_nlink > 1 { throw LoadError(link: "a hard link to another file", path) }
    guard !keepsPermissions, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 else { return }
    // A file system without permissions refuses to change them.
    _ = unsafe fchmodat(AT_FDCWD, path, status.st_mode & 0o600, AT_SYMLINK_NOFOLLOW)
  }

  /// The path for SQLite, which follows no links: those of the folder are resolved here.
  private var path: String {
    switch self {
    case .file(let url):
      let folder = url.deletingLastPathComponent().path(percentEncoded: false)
      // The system's copy of the path ends with NUL, and is released once.
      guard let resolved = unsafe realpath(folder, nil) else {
        return url.path(percentEncoded: false)
      }
      defer { unsafe free(resolved) }
      return unsafe "\(String(cString: resolved))/\(url.lastPathComponent)"
    case .memory: return ":memory:"
    }
  }
}

extension DatabaseLocation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let url): "the database \(url.path(percentEncoded: false))"
    case .memory: "the database in memory"
    }
  }
}

extension LoadError {
  fileprivate init(link: String, _ path: String) {
    self.init(
      .store, "the file \(path) is \(link), through which another file would be changed",
      advice: "Give the path of the file itself, and remove the link")
  }
}
