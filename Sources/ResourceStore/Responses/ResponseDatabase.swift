internal import Foundation
internal import ResourceCache
internal import ResourceLoading
internal import Synchronization

/// The connections to a database that keeps responses: of a file of its own, or those of a store.
final class ResponseDatabase: Sendable {
  private let writer: LanePool
  private let readers: LanePool
  private let isPrepared = Mutex(false)
  private let isOwn: Bool

  /// Uses a file that has nothing else in it.
  init(ownFile file: URL) {
    var settings = SQLiteSettings()
    // Somebody waits for the response meanwhile.
    settings.busyTimeout = .milliseconds(500)
    let forReading = settings.forReading
    writer = LanePool(limit: 1) { [settings] in
      let connection = try Connection(.file(file), settings)
      try connection.claimFile()
      return connection
    }
    readers = LanePool(limit: settings.readers) { try Connection(.file(file), forReading) }
    isOwn = true
  }

  /// Uses the connections of a store.
  init(of store: SQLiteStore) {
    writer = store.writer
    readers = store.readers
    isOwn = false
  }
}

extension ResponseDatabase {
  /// Reads, beside whoever writes.
  func read<R: Sendable>(_ body: @Sendable (Connection) throws -> R) async throws -> R {
    try await prepare()
    return try await readers.run(body)
  }

  /// Does what the body does as one transaction.
  func write<R: Sendable>(_ body: @Sendable (Connection) throws -> R) async throws -> R {
    try await prepare()
    return try await writer.run { connection in try connection.transaction { try body(connection) }
    }
  }

  /// Has the log emptied, in which removed rows may stand still (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
  func overwriteRemoved() async throws {
    guard isOwn else { return }
    // Who reads meanwhile keeps it from being emptied, which is no error.
    try await writer.run { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// Closes the connections that nobody else uses.
  func close() async {
    guard isOwn else { return }
    await readers.close()
    await writer.close()
  }

  private func prepare() async throws {
    guard !isPrepared.withLock(\.self) else { return }
    try await writer.run { connection in
      // What can only be read is used as it is.
      guard !connection.isReadOnly else { return }
      try connection.transaction { try connection.createResponseTables() }
    }
    isPrepared.withLock { $0 = true }
  }
}

extension Connection {
  /// Marks a file that is empty still as a cache's own, and has what is removed there overwritten.
  fileprivate func claimFile() throws {
    guard !isReadOnly else { return }
    try execute("PRAGMA secure_delete = ON")
    guard try integer("SELECT count(*) FROM sqlite_schema") == 0 else { return }
    try execute("PRAGMA application_id = \(OwnCacheFile.applicationID)")
  }
}

/// The file that a cache has for itself.
struct OwnCacheFile {
  let file: URL

  init(_ file: URL) { self.file = file }

  /// What the file says it is, in its header (<https://sqlite.org/fileformat.html>, offset 68).
  static let applicationID: Int32 = 0x5243_4831

  /// Removes the file and what lies beside it, unless it may be something else that was named by mistake.
  func removeIfOwn() {
    guard isOwn else { return }
    let path = file.path(percentEncoded: false)
    for suffix in ["-wal", "-shm", ""] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  private var isOwn: Bool {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return false }
    defer { try? handle.close() }
    let head = (try? handle.read(upToCount: 72)) ?? Data()
    return head.count == 72
      && head.suffix(4).elementsEqual(withUnsafeBytes(of: Self.applicationID.bigEndian, Array.init))
  }
}
