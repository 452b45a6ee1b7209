import Foundation
import ResourceCache
import ResourceLoading
import ResourceStore
import ResourceTesting

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

/// A file of its own, which goes when the storage does.
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

/// A storage in memory that can be stopped after it has read.
final class GatedStorage: ResponseStorage {
  private let storage = MemoryResponseStorage()
  private let gate = Shared<Gate?>(nil)

  /// The gate at which the next reading waits, with what it has found.
  func stopNextReading() -> Gate {
    let gate = Gate()
    self.gate.value = gate
    return gate
  }

  func responses(for key: CacheKey) async throws -> [StoredResponse] {
    let found = storage.responses(for: key)
    let stop = gate.value
    gate.value = nil
    try await stop?.opened()
    return found
  }

  func mark() async throws -> RemovalMark { storage.mark() }

  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async throws {
    storage.store(response, for: key, since: mark)
  }

  func remove(_ scope: CacheScope) async throws { storage.remove(scope) }
}

extension ResponseStorage {
  /// Stores what was asked for just now.
  func store(_ response: StoredResponse, for key: CacheKey) async throws {
    try await store(response, for: key, since: try await mark())
  }
}

/// Responses for the tests of storages.
enum CacheExchange {
  /// A response that arrived at some second.
  static func stored(
    _ headers: Headers, body: Data = Data(), selecting: Headers = [:],
    asked: Date = Date(timeIntervalSince1970: 1_700_000_000), wasRedirected: Bool = false
  ) -> StoredResponse {
    StoredResponse(
      Response(url: URL(string: "https://example.org/a")!, headers: headers, body: body),
      selectingHeaders: selecting, requestDate: asked,
      responseDate: Date(timeIntervalSince1970: 1_700_000_000), wasRedirected: wasRedirected)
  }
}
