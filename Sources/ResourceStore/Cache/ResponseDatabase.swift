internal import Foundation
internal import ResourceCache
internal import ResourceLoading
internal import ResourcePrimitives
internal import Synchronization

/// The connections to a database of responses: those of a file of its own, or those of a store.
final class ResponseDatabase: Sendable {
  private let writer: ConnectionPool
  let readers: ConnectionPool
  /// The key of the file's hashes, once the tables were created. If another process has replaced it
  /// since then, reads find nothing, and marks are those of an ended history; writes read the key
  /// again.
  private let hashKey = Mutex<HashKey?>(nil)
  /// The file of its own; `nil` for the connections of a store.
  private let ownFile: URL?

  /// Uses a file that contains nothing else.
  init(ownFile file: URL) {
    var settings = SQLiteSettings()
    // Loads wait for it.
    settings.busyTimeout = .milliseconds(500)
    let forReading = settings.forReading
    writer = ConnectionPool(limit: 1) { [settings] in
      let connection = try ModelConnection(.file(file), settings)
      try connection.claimFile()
      return connection
    }
    readers = ConnectionPool(limit: settings.maximumReaders) {
      try ModelConnection(.file(file), forReading)
    }
    ownFile = file
  }

  init(of store: SQLiteStore) {
    writer = store.writer
    readers = store.readers
    ownFile = nil
  }
}

extension ResponseDatabase {
  /// Reads the responses of a key on the caller's thread if they are small and a connection is
  /// free. Otherwise, and after an error, it returns `nil`, and ``responses(for:)`` must be used.
  func immediateResponses(for key: CacheKey) -> Connection.FoundResponses? {
    guard let hashKey = hashKey.withLock(\.self) else { return nil }
    let key = HashedCacheKey(key, hashKey)
    let small = try? readers.runNow { connection -> Connection.FoundResponses? in
      try connection.responses(for: key, upTo: Self.smallSize)
    }
    return small ?? nil
  }

  func responses(for key: CacheKey) async throws -> Connection.FoundResponses {
    let key = HashedCacheKey(key, try await prepared())
    return try await readers.run { try $0.responses(for: key) } ?? Connection.FoundResponses()
  }

  /// The size in bytes up to which responses are read on the caller's thread.
  private static let smallSize: Int64 = 1 << 16

  func removalMark() async throws -> RemovalMark {
    let history = try await prepared().history
    let mark = try readers.runNow { try $0.removalMark(history: history) }
    if let mark { return mark }
    return try await readers.run { try $0.removalMark(history: history) }
  }

  /// Runs the body in a transaction, with the key for hashes that was read before.
  func write<R: Sendable>(
    _ body: @Sendable (ModelConnection, HashKey) throws -> R
  ) async throws -> R {
    let key = try await prepared()
    return try await writer.run { connection in
      try connection.transaction { try body(connection, key) }
    }
  }

  /// Empties the log, which may still contain removed rows
  /// (<https://sqlite.org/pragma.html#pragma_wal_checkpoint>).
  func emptyLog() async throws {
    guard isOwn else { return }
    // A concurrent read prevents it, which isn't an error.
    try await writer.run { _ = try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// Closes the connections that nothing else uses.
  func close() async {
    guard isOwn else { return }
    await readers.close()
    await writer.close()
  }

  /// Creates the tables if that wasn't done before, and returns the key for hashes.
  func prepared() async throws -> HashKey {
    if let hashKey = hashKey.withLock(\.self) { return hashKey }
    let key = try await writer.run { connection in
      // A database that can only be read is used as it is.
      if !connection.isReadOnly {
        try connection.transaction { try connection.createResponseTables() }
      }
      return try connection.responseHashKey()
    }
    hashKey.withLock { $0 = key }
    return key
  }
}

// A file of its own, which is marked in its header (<https://sqlite.org/fileformat.html>, offset
// 68).
extension ResponseDatabase {
  fileprivate static let applicationID: Int32 = 0x5243_4831

  var isOwn: Bool { ownFile != nil }

  /// Closes the connections, removes the file and those beside it unless it isn't a cache's file,
  /// and returns a new database in the same place.
  func replaced() async -> ResponseDatabase {
    await close()
    guard let ownFile else { return self }
    if Self.isMarked(ownFile) {
      let path = ownFile.path(percentEncoded: false)
      for suffix in ["-wal", "-shm", ""] {
        try? FileManager.default.removeItem(atPath: path + suffix)
      }
    }
    return ResponseDatabase(ownFile: ownFile)
  }

  private static func isMarked(_ file: URL) -> Bool {
    let head = (try? InputFile(file).read(72, at: 0)) ?? Data()
    return head.count == 72 && head.suffix(4).elementsEqual(applicationID.bigEndianBytes)
  }
}

extension Connection {
  /// Marks an empty file as a cache's own, and has SQLite overwrite what is removed.
  fileprivate func claimFile() throws {
    guard !isReadOnly else { return }
    try execute("PRAGMA secure_delete = ON")
    guard try integer("SELECT count(*) FROM sqlite_schema") == 0 else { return }
    try execute("PRAGMA application_id = \(ResponseDatabase.applicationID)")
  }
}
