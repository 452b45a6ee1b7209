public import Foundation
public import ResourceCache
internal import ResourceLoading
internal import Synchronization

/// Keeps the responses of an `HTTPCache` in a SQLite database: those that were used last, as many as there is room
/// for. Several processes may use it at once.
///
/// In a file of its own it heals itself: a damaged one is removed and begun anew. In a database that has models too
/// it leaves all else alone, and a damaged file is the program's affair. Either way the operation that meets the
/// damage fails, and with it no load.
///
/// It needs no version of the program's schema: the form of its tables is part of their names.
public final class SQLiteResponseStorage: ResponseStorage {
  private let home: Home
  private let maximumSize: Int
  private let state: Mutex<State>

  private enum Home {
    case ownFile(URL)
    case store
  }

  private struct State {
    /// `nil` while a damaged file is being removed.
    var database: ResponseDatabase?
    var uses = NotedUses<Int64>()
    /// What was used without being asked for here.
    var otherUses = NotedUses<CacheKey>()

    mutating func takeUses() -> Connection.Uses {
      Connection.Uses(rows: uses.take(), keys: otherUses.take())
    }
  }

  /// Makes a storage in a file of its own, which is opened when it is first used.
  ///
  /// - Parameters:
  ///   - file: A file URL in a folder that exists. Two more files lie beside it, with `-wal` and `-shm` behind the
  ///     name. What was removed is overwritten.
  ///   - maximumSize: How many bytes of responses it keeps at most; the file is a little larger.
  public init(file: URL, maximumSize: Int = 256 << 20) {
    home = .ownFile(file)
    self.maximumSize = max(0, maximumSize)
    state = Mutex(State(database: ResponseDatabase(ownFile: file)))
  }

  /// Makes a storage in the database of a store.
  ///
  /// - Parameters:
  ///   - store: What keeps models as well.
  ///   - maximumSize: How many bytes of responses it keeps at most.
  public init(in store: SQLiteStore, maximumSize: Int = 256 << 20) {
    home = .store
    self.maximumSize = max(0, maximumSize)
    state = Mutex(State(database: ResponseDatabase(of: store)))
  }

  public func responses(for key: CacheKey) async throws -> [StoredResponse] {
    let rows = try await use { try await $0.read { try $0.responses(for: key) } }
    let damaged = rows.filter { $0.response == nil }.map(\.id)
    if !damaged.isEmpty { try? await removeDamaged(damaged) }
    state.withLock { state in
      for row in rows where row.response != nil { state.uses.note(row.id) }
    }
    return rows.compactMap(\.response)
  }

  /// What was damaged is as good as not there, also if it can't be removed.
  private func removeDamaged(_ rows: [Int64]) async throws {
    try await use { database in try await database.write { try $0.removeDamaged(rows) } }
  }

  /// The moment in the history that the file has: all that use it have it in common, other processes, too.
  public func mark() async throws -> RemovalMark {
    try await use { try await $0.read { try $0.removalMark() } }
  }

  public func store(
    _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark
  ) async throws {
    let (uses, maximumSize) = (state.withLock { $0.takeUses() }, maximumSize)
    try await use { database in
      try await database.write {
        try $0.store(response, for: key, since: mark, uses, maximumSize: maximumSize)
      }
    }
  }

  /// Counts when something is stored the next time.
  public func noteUse(of keys: Set<CacheKey>) {
    state.withLock { state in for key in keys { state.otherUses.note(key) } }
  }

  public func remove(_ scope: CacheScope) async throws {
    try await use { database in
      try await database.write { try $0.removeResponses(scope) }
      if scope.isPurge { try await database.overwriteRemoved() }
    }
  }

  /// Closes a file of its own: whatever is asked of it from now on fails. A store stays open.
  public func close() async {
    guard case .ownFile = home else { return }
    await state.withLock(\.database)?.close()
  }
}

extension SQLiteResponseStorage {
  private func use<R: Sendable>(
    _ body: (ResponseDatabase) async throws -> R
  ) async throws -> R {
    guard let database = state.withLock(\.database) else { throw LoadError.beingEmptied }
    do { return try await body(database) } catch {
      guard case .ownFile(let file) = home, (error as? LoadError)?.isOfDamage == true else {
        throw error
      }
      await replace(database, file)
      throw error
    }
  }

  /// Removes a damaged file, if it is a cache's own, and begins anew.
  private func replace(_ damaged: ResponseDatabase, _ file: URL) async {
    let isFirst = state.withLock { state in
      guard state.database === damaged else { return false }
      state.database = nil
      return true
    }
    guard isFirst else { return }
    await damaged.close()
    OwnCacheFile(file).removeIfOwn()
    state.withLock { $0.database = ResponseDatabase(ownFile: file) }
  }
}

extension CacheScope {
  /// Whether it is removed to be nowhere any more, and not only because it is out of date.
  fileprivate var isPurge: Bool {
    switch self {
    case .entry, .url: false
    case .partition, .credentials, .everything: true
    }
  }
}

extension LoadError {
  fileprivate static var beingEmptied: LoadError {
    LoadError(.store, "the cache was damaged and is being emptied")
  }

  /// Whether the file is damaged.
  fileprivate var isOfDamage: Bool {
    (underlying as? SQLiteError).map { [11, 26].contains($0.code) } ?? false
  }
}

extension ResponseStorage where Self == SQLiteResponseStorage {
  /// A storage in a SQLite file of its own.
  ///
  /// - Parameters:
  ///   - file: A file URL in a folder that exists.
  ///   - maximumSize: How many bytes of responses it keeps at most.
  public static func sqlite(_ file: URL, maximumSize: Int = 256 << 20) -> SQLiteResponseStorage {
    SQLiteResponseStorage(file: file, maximumSize: maximumSize)
  }
}
