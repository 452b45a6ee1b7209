/// The settings of a ``SQLiteStore``.
public struct SQLiteSettings: Sendable, Hashable {
  /// The maximum number of concurrent reads; each has a connection and a thread of its own. A store
  /// in memory has a single connection.
  public var maximumReaders = 4

  /// How long a write waits for another process that is writing before it fails.
  public var busyTimeout = Duration.seconds(5)

  /// The schema version that the program knows. Opening a file with a higher one fails; a lower one
  /// is raised. `nil` opens every file.
  ///
  /// New columns need no new version, because tables gain columns on demand. Raise it when an older
  /// program must no longer use the file. It is SQLite's `user_version`.
  public var schemaVersion: Int?

  /// Whether the store only reads. The file must exist.
  public var isReadOnly = false

  /// Whether an existing file keeps its permissions, such as those for a group of users. If
  /// `false`, a file of this user's can be read and written by this user only as soon as it is
  /// opened for writing, and so can those beside it.
  public var keepsPermissions = false

  /// Whether a commit returns only after it would survive a power cut. If `false`, a power cut may
  /// undo the latest commits, but never a part of one; a killed process loses none in either case.
  ///
  /// See <https://sqlite.org/pragma.html#pragma_synchronous>.
  public var syncsEveryCommit = false

  /// The maximum size of the file in bytes; `nil` lets it grow until the disk is full.
  ///
  /// At this limit rows can still be deleted; on a full disk they can't, because a delete is
  /// written to the log first. The log adds some 4 MB to the size, and more while a transaction
  /// writes more or a read lasts long.
  public var maximumSize: Int?

  /// How often ``SQLiteStore/updates(of:)`` checks whether another process has written, as long as
  /// anyone iterates over it. SQLite sends no notifications to other processes. `nil` never checks.
  public var otherProcessesInterval: Duration?

  /// Creates settings for one process and a local disk.
  public init() {}
}

extension SQLiteSettings {
  var forReading: SQLiteSettings {
    var settings = self
    settings.isReadOnly = true
    settings.schemaVersion = nil
    return settings
  }
}
