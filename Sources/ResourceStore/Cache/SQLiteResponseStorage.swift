public import Foundation
public import ResourceCache
internal import ResourceLoading
internal import Synchronization

/// Stores the responses of an `HTTPCache` in a SQLite database, and evicts the least recently used
/// ones when there is no more room. Several processes may use it at once.
///
/// A damaged file is removed and created again if nothing else uses it; a database that contains
/// models too is left alone. In both cases the operation that finds the damage throws, and no load
/// fails.
///
/// The storage doesn't touch the schema version of the database: the version of its tables is part
/// of their names.
public final class SQLiteResponseStorage: ResponseStorage {
  private let maximumSize: Int
  private let state: Mutex<State>

  private struct State {
    /// `nil` while a damaged file is being removed.
    var database: ResponseDatabase?
    /// The keys that were used since the last write.
    var uses = RecentUses()
  }

  /// Creates a storage of at most `maximumSize` bytes in a file of its own in an existing folder,
  /// which is opened when it is first used. SQLite adds two more files, with `-wal` and `-shm`
  /// appended to the name. Removed content is overwritten.
  package convenience init(file: URL, maximumSize: Int = 256 << 20) {
    self.init(ResponseDatabase(ownFile: file), maximumSize)
  }

  /// Creates a storage in the database of a store.
  ///
  /// - Parameters:
  ///   - store: The store, which can also contain models.
  ///   - maximumSize: The maximum number of bytes of all responses.
  public convenience init(in store: SQLiteStore, maximumSize: Int = 256 << 20) {
    self.init(ResponseDatabase(of: store), maximumSize)
  }

  private init(_ database: ResponseDatabase, _ maximumSize: Int) {
    self.maximumSize = max(0, maximumSize)
    state = Mutex(State(database: database))
  }

  /// Returns the variants of a response on the caller's thread if they are small, and a connection
  /// is free that doesn't have to wait. A change of threads takes several times as long.
  public func immediateResponses(for key: CacheKey) -> [StoredResponse]? {
    guard let found = state.withLock(\.database)?.immediateResponses(for: key),
      found.damagedRows.isEmpty
    else { return nil }
    if !found.responses.isEmpty { noteUse(of: [key]) }
    return found.responses
  }

  /// Returns the variants of a response. A damaged one is removed and counts as missing, which
  /// isn't an error.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func responses(for key: CacheKey) async throws -> [StoredResponse] {
    let found = try await use { try await $0.responses(for: key) }
    if !found.damagedRows.isEmpty {
      try? await use { database in
        try await database.write { connection, _ in
          try connection.removeDamaged(found.damagedRows)
        }
      }
    }
    if !found.responses.isEmpty { noteUse(of: [key]) }
    return found.responses
  }

  /// Returns the position in the file's history of removals, which all processes that use it share.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func mark() async throws -> RemovalMark {
    try await use { try await $0.removalMark() }
  }

  /// Stores a response; see `ResponseStorage`.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`; nothing was
  ///   stored then. A response that is too large, or that was removed since the mark, isn't an
  ///   error.
  public func store(
    _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark
  ) async throws {
    let (uses, maximumSize) = (state.withLock { $0.uses.take() }, maximumSize)
    try await use { database in
      try await database.write { connection, hashKey in
        try connection.store(
          response, for: key, since: mark, uses, expecting: hashKey, maximumSize: maximumSize)
      }
    }
  }

  /// Records uses, with the next response that is stored.
  public func noteUse(of keys: Set<CacheKey>) {
    state.withLock { state in for key in keys { state.uses.note(key) } }
  }

  /// Removes responses, and empties the log if none of them may remain in the file.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func remove(_ scope: CacheScope) async throws {
    try await use { database in
      try await database.write { connection, hashKey in
        try connection.removeResponses(scope, expecting: hashKey)
      }
      if scope.isPurge { try await database.emptyLog() }
    }
  }

  /// Closes a file of its own; later operations throw a `LoadError` of kind `closed`. A store stays
  /// open.
  public func close() async {
    await state.withLock(\.database)?.close()
  }
}

extension SQLiteResponseStorage {
  private func use<R: Sendable>(
    _ body: (ResponseDatabase) async throws -> R
  ) async throws -> R {
    guard let database = state.withLock(\.database) else { throw LoadError.beingReplaced }
    do { return try await body(database) } catch let error as LoadError {
      if error.isDamage, database.isOwn { await replace(database) }
      throw error
    }
  }

  /// Removes a damaged file, if it is a cache's own, and starts with a new one.
  private func replace(_ damaged: ResponseDatabase) async {
    let isFirst = state.withLock { state in
      guard state.database === damaged else { return false }
      state.database = nil
      return true
    }
    guard isFirst else { return }
    let new = await damaged.replaced()
    state.withLock { $0.database = new }
  }
}

extension SQLiteResponseStorage: ListedResponseStorage {
  /// Lists the responses without their bodies.
  package func list(_ request: ResponseListRequest) async throws -> ResponseList? {
    try await use { try await $0.list(request) }
  }
}

extension CacheScope {
  /// Whether the responses must not remain in the file, rather than being out of date.
  fileprivate var isPurge: Bool {
    switch self {
    case .entry, .url, .groups: false
    case .partition, .credentials, .everything: true
    }
  }
}

extension LoadError {
  fileprivate static var beingReplaced: LoadError {
    LoadError(.store, "the cache's file was damaged and is being replaced", advice: "Try again")
  }
}

extension ResponseStorage where Self == SQLiteResponseStorage {
  /// A storage in a SQLite file of its own.
  ///
  /// - Parameters:
  ///   - file: A file URL in an existing folder.
  ///   - maximumSize: The maximum number of bytes of all responses.
  public static func sqlite(_ file: URL, maximumSize: Int = 256 << 20) -> SQLiteResponseStorage {
    SQLiteResponseStorage(file: file, maximumSize: maximumSize)
  }
}
