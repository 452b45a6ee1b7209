import CacheTestSupport
import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting
import StoreTestSupport

/// The storages that every behaviour of a cache is tested with.
enum Storage: CaseIterable {
  case memory, sqlite, tiered

  func make() throws -> any ResponseStorage {
    switch self {
    case .memory: MemoryResponseStorage()
    case .sqlite: FileStorage(try Database())
    case .tiered:
      TieredResponseStorage(MemoryResponseStorage(), before: FileStorage(try Database()))
    }
  }
}

/// A separate file, which is removed with the storage.
final class FileStorage: ResponseStorage {
  private let database: Database
  private let storage: SQLiteResponseStorage

  init(_ database: Database) {
    self.database = database
    storage = SQLiteResponseStorage(file: database.file)
  }

  func responses(for key: CacheKey) async throws -> [StoredResponse] {
    try await storage.responses(for: key)
  }

  func mark() async throws -> RemovalMark { try await storage.mark() }

  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async throws {
    try await storage.store(response, for: key, since: mark)
  }

  func remove(_ scope: CacheScope) async throws { try await storage.remove(scope) }
}
