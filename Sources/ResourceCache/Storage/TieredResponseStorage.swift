internal import Synchronization

/// Puts a fast storage in front of a persistent one. A response is stored in the persistent one,
/// and copied to the fast one when it is used.
package final class TieredResponseStorage: ResponseStorage {
  private let front: any ResponseStorage
  private let back: any ResponseStorage
  /// The keys that were found in front since the last store.
  private let uses = Mutex(RecentUses())

  /// Creates a storage from a fast one, which must not be used elsewhere, and a persistent one.
  package init(_ front: some ResponseStorage, before back: some ResponseStorage) {
    self.front = front
    self.back = back
  }

  package func immediateResponses(for key: CacheKey) -> [StoredResponse]? {
    guard let found = front.immediateResponses(for: key), !found.isEmpty else { return nil }
    uses.withLock { $0.note(key) }
    return found
  }

  /// Returns the variants of a response from the front storage, or otherwise from the back storage.
  /// A failure of the front storage isn't an error.
  package func responses(for key: CacheKey) async throws -> [StoredResponse] {
    if let found = try? await front.responses(for: key), !found.isEmpty {
      uses.withLock { $0.note(key) }
      return found
    }
    let mark = try? await front.mark()
    let found: [StoredResponse]
    if let immediate = back.immediateResponses(for: key) {
      found = immediate
    } else {
      found = try await back.responses(for: key)
    }
    if let mark { await copyForward(found, for: key, since: mark) }
    return found
  }

  /// Copies responses to the front storage unless they have been replaced or removed.
  private func copyForward(
    _ responses: [StoredResponse], for key: CacheKey, since mark: RemovalMark
  ) async {
    for response in responses { try? await front.store(response, for: key, since: mark) }
    // The front storage must have all variants or none, because otherwise a missing variant
    // wouldn't be looked up in the back storage.
    guard responses.count > 1, let stored = try? await front.responses(for: key),
      !stored.isEmpty, stored.count < responses.count
    else { return }
    try? await front.remove(.entry(key))
  }

  /// Returns the position in the history of the back storage, which other caches may share.
  package func mark() async throws -> RemovalMark { try await back.mark() }

  /// Stores a response in the back storage, and removes the key from the front storage.
  package func store(
    _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark
  ) async throws {
    // Storing can evict other responses, so the uses must be recorded first.
    back.noteUse(of: uses.withLock { $0.take() })
    try await back.store(response, for: key, since: mark)
    // The response is copied forward when it is used. After this line no older one can be.
    try await front.remove(.entry(key))
  }

  package func noteUse(of keys: Set<CacheKey>) {
    front.noteUse(of: keys)
    back.noteUse(of: keys)
  }

  /// Removes responses from both storages.
  package func remove(_ scope: CacheScope) async throws {
    do { try await back.remove(scope) } catch {
      try await front.remove(scope)
      throw error
    }
    // Removed after the back storage, so that no removed response is copied forward again.
    try await front.remove(scope)
  }

  /// Asks the back storage, which other processes may share, and has the next read find what they
  /// have stored there.
  package func lease(for key: CacheKey, variant: String) async throws -> ResponseLease {
    let lease = try await back.lease(for: key, variant: variant)
    if lease != .notNeeded { try await front.remove(.entry(key)) }
    return lease
  }

  package func endLease(
    _ token: String, for key: CacheKey, variant: String, _ outcome: ResponseLease.Outcome
  ) {
    back.endLease(token, for: key, variant: variant, outcome)
  }
}

extension TieredResponseStorage: ListedResponseStorage {
  /// Lists the back storage, which has all responses.
  package func list(_ request: ResponseListRequest) async throws -> ResponseList? {
    try await (back as? any ListedResponseStorage)?.list(request)
  }
}

/// The keys that were used since the last write to a database, so that a hit needs no write.
package struct RecentUses: Sendable {
  private var keys: Set<CacheKey> = []

  /// Further uses aren't recorded.
  private static let limit = 1024

  package init() {}

  package mutating func note(_ key: CacheKey) {
    if keys.count < Self.limit { keys.insert(key) }
  }

  package mutating func take() -> Set<CacheKey> {
    defer { keys = [] }
    return keys
  }
}
