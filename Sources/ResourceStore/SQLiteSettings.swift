/// What one can choose about a ``SQLiteStore``.
public struct SQLiteSettings: Sendable, Hashable {
  /// How many reads run at once at most; each has a connection and a thread of its own. A store in memory
  /// has one connection for everything.
  public var readers = 4

  /// How long a write waits for another process that is writing, before it fails.
  public var busyTimeout = Duration.seconds(5)

  /// The version of the schema that the program knows. A file with a higher one is refused, a lower one is
  /// raised. `nil` opens every file.
  ///
  /// Columns that come along need no new version: tables grow by themselves. A program raises it when an
  /// older one must no longer touch the file. It is SQLite's `user_version`.
  public var schemaVersion: Int?

  /// Whether nothing is ever written. The file must be there.
  public var isReadOnly = false

  /// Whether a commit returns only when it would also outlive a power cut. Without it, a power cut may take
  /// the last commits, never a part of one; a killed process takes none in either case.
  ///
  /// See <https://sqlite.org/pragma.html#pragma_synchronous>.
  public var syncsEveryCommit = false

  /// How large the file may grow, in bytes; `nil` lets it grow until the disk is full.
  ///
  /// At this limit rows can still be deleted; on a full disk they can't, because a delete is written to the log first.
  /// The log comes on top: some 4 MB as a rule, more where a transaction writes more or somebody reads for long.
  public var maximumSize: Int?

  /// How often ``SQLiteStore/updates(of:)`` looks whether another process has written, while somebody
  /// follows it. SQLite can't tell of its own accord. `nil` never looks.
  public var otherProcessesInterval: Duration?

  /// Settings for one process on a local disk.
  public init() {}
}
