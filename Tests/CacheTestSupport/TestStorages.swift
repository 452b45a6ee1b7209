package import ResourceCache
package import ResourceTesting
import Synchronization

/// A storage whose operations fail on demand.
package final class FaultyStorage: ResponseStorage {
  package enum Operation: CaseIterable { case reading, marking, storing, removing }

  package struct Fault: Error {}

  fileprivate let storage: any ResponseStorage
  private let failing = Mutex<Set<Operation>>([])
  private let counts = Mutex<[Operation: Int]>([:])

  package init(_ storage: any ResponseStorage = MemoryResponseStorage()) { self.storage = storage }

  package func fail(_ operations: Set<Operation>) { failing.withLock { $0 = operations } }

  package func count(of operation: Operation) -> Int { counts.withLock { $0[operation] ?? 0 } }

  fileprivate func begin(_ operation: Operation) throws {
    counts.withLock { $0[operation, default: 0] += 1 }
    if failing.withLock({ $0.contains(operation) }) { throw Fault() }
  }

  package func responses(for key: CacheKey) async throws -> [StoredResponse] {
    try begin(.reading)
    return try await storage.responses(for: key)
  }

  package func mark() async throws -> RemovalMark {
    if failing.withLock({ $0.contains(.marking) }) { throw Fault() }
    return try await storage.mark()
  }

  package func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark)
    async throws
  {
    try begin(.storing)
    try await storage.store(response, for: key, since: mark)
  }

  package func remove(_ scope: CacheScope) async throws {
    try begin(.removing)
    try await storage.remove(scope)
  }
}

extension FaultyStorage: ListedResponseStorage {
  package func list(_ request: ResponseListRequest) async throws -> ResponseList? {
    try begin(.reading)
    return try await (storage as? any ListedResponseStorage)?.list(request)
  }
}

/// A storage in memory whose reads and removals can be stopped.
package final class GatedStorage: ResponseStorage {
  private let storage = MemoryResponseStorage()
  private let gate = Shared<Gate?>(nil)
  private let removalGate = Shared<Gate?>(nil)

  package init() {}

  /// Returns a gate at which the next read waits after it has found the responses.
  package func stopNextReading() -> Gate {
    let gate = Gate()
    self.gate.value = gate
    return gate
  }

  /// Returns a gate at which the next removal waits before it removes anything.
  package func stopNextRemoval() -> Gate {
    let gate = Gate()
    removalGate.value = gate
    return gate
  }

  package func responses(for key: CacheKey) async throws -> [StoredResponse] {
    let found = storage.responses(for: key)
    let stop = gate.value
    gate.value = nil
    try await stop?.opened()
    return found
  }

  package func mark() async throws -> RemovalMark { storage.mark() }

  package func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark)
    async throws
  {
    storage.store(response, for: key, since: mark)
  }

  package func remove(_ scope: CacheScope) async throws {
    let stop = removalGate.value
    removalGate.value = nil
    try await stop?.opened()
    storage.remove(scope)
  }
}

extension ResponseStorage {
  package func store(_ response: StoredResponse, for key: CacheKey) async throws {
    try await store(response, for: key, since: try await mark())
  }
}
