public import Foundation

/// Models in a SQLite database: one file, or memory.
///
/// Writes are done one after another, on a connection and a thread of their own; reads run beside them, a few
/// at once, each on one state of the database (WAL, <https://sqlite.org/wal.html>). None of it holds a thread
/// of Swift's tasks, with one exception: what finds at most one row by a key is read at once where it was asked for, if
/// a connection is free, since passing it to another thread takes several times as long. A read whose task is cancelled is interrupted; a write whose task is cancelled is
/// undone, or has been committed as a whole.
///
/// Other processes may use the same file, on the same machine: a write waits for theirs, as long as
/// ``SQLiteSettings/busyTimeout`` says.
public final class SQLiteStore: Sendable {
  let writer: LanePool
  let readers: LanePool
  let announcer = Announcer()
  let settings: SQLiteSettings
  let place: DatabasePlace
  let walks: WalkLanes

  /// Opens a database file, and makes it if it isn't there.
  ///
  /// - Parameters:
  ///   - file: A file URL. Two more files lie beside it while it is in use, with `-wal` and `-shm` behind
  ///     the name.
  ///   - settings: What one can choose.
  /// - Throws: A `LoadError` of kind `store` where the file can't be opened, is damaged, is no database, or was
  ///   written with a newer schema than ``SQLiteSettings/schemaVersion``.
  public convenience init(file: URL, settings: SQLiteSettings = SQLiteSettings()) async throws {
    try await self.init(.file(file), settings)
  }

  /// Makes a database in memory, which is gone with the store. Reads wait for writes there.
  ///
  /// - Parameter settings: What one can choose.
  /// - Throws: A `LoadError` of kind `store`, hardly ever.
  public static func inMemory(settings: SQLiteSettings = SQLiteSettings()) async throws
    -> SQLiteStore
  {
    try await SQLiteStore(.memory, settings)
  }

  private init(_ place: DatabasePlace, _ settings: SQLiteSettings) async throws {
    self.settings = settings
    self.place = place
    walks = WalkLanes { try Connection(place, settings.forReading) }
    writer = LanePool(limit: 1) { try Connection(place, settings) }
    readers =
      switch place {
      case .memory: writer
      case .file: LanePool(limit: settings.readers) { try Connection(place, settings.forReading) }
      }
    try await writer.run { _ in }
  }

  deinit { announcer.close() }
}

extension SQLiteStore {
  /// Waits for what is under way, closes the database and ends every ``Updates`` and ``ModelRows``. Whatever is asked of the store
  /// from now on fails with a `LoadError` of kind `closed`. Closing again does nothing.
  ///
  /// A store that nobody holds any more is closed, too.
  public func close() async {
    announcer.close()
    await walks.close()
    await readers.close()
    await writer.close()
  }
}

extension SQLiteSettings {
  /// For a connection beside the one that writes.
  var forReading: SQLiteSettings {
    var settings = self
    settings.isReadOnly = true
    settings.schemaVersion = nil
    return settings
  }
}
