import ResourceCache
import Synchronization

/// A storage whose operations fail when a test wants it.
final class FaultyStorage: ResponseStorage {
  enum Operation: CaseIterable { case reading, marking, storing, removing }

  struct Fault: Error {}

  private let storage: any ResponseStorage
  private let failing = Mutex<Set<Operation>>([])
  private let counts = Mutex<[Operation: Int]>([:])

  init(_ storage: any ResponseStorage = MemoryResponseStorage()) { self.storage = storage }

  /// What fails from now on.
  func fail(_ operations: Set<Operation>) { failing.withLock { $0 = operations } }

  /// How often something was asked for, failures included.
  func count(of operation: Operation) -> Int { counts.withLock { $0[operation] ?? 0 } }

  private func begin(_ operation: Operation) throws {
    counts.withLock { $0[operation, default: 0] += 1 }
    if failing.withLock({ $0.contains(operation) }) { throw Fault() }
  }

  func responses(for key: CacheKey) async throws -> [StoredResponse] {
    try begin(.reading)
    return try await storage.responses(for: key)
  }

  func mark() async throws -> RemovalMark {
    if failing.withLock({ $0.contains(.marking) }) { throw Fault() }
    return try await storage.mark()
  }

  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async throws {
    try begin(.storing)
    try await storage.store(response, for: key, since: mark)
  }

  func remove(_ scope: CacheScope) async throws {
    try begin(.removing)
    try await storage.remove(scope)
  }
}
