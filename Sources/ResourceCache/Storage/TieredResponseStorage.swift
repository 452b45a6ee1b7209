internal import Synchronization

/// Puts a fast storage in front of a persistent one. A response is stored in the persistent one,
/// and copied to the fast one when it is used.
package final class TieredResponseStorage: ResponseStorage {
  private let front: any ResponseStorage
  private let back: any ResponseStorage
  /// The keys that were found in front since the last store.
  private let uses = Mutex(RecentUses())

  /// Puts a storage in front of another.
  ///
  /// - Parameters:
  ///   - front: The fast storage, which must not be used otherwise.
  ///   - back: The persistent storage.
  package init(_ front: some ResponseStorage, before back: some ResponseStorage) {
    self.front = front
    self.back = back
  }

  /// Returns the variants of a response from the front storage, if that takes no waiting; `nil` if
  /// there are none.
  package func immediateResponses(for key: CacheKey) -> [StoredResponse]? {
    guard let found = front.immediateResponses(for: key), !found.isEmpty else { return nil }
    uses.withLock { $0.note(key) }
    return found
  }

  /// Returns the variants of a response from the front storage, or else from the back storage.
  ///
  /// - Throws: What the back storage throws. A failure of the front storage is no error.
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

  /// Copies responses to the front storage, unless they were replaced or removed meanwhile.
  private func copyForward(
    _ responses: [StoredResponse], for key: CacheKey, since mark: RemovalMark
  ) async {
    for response in responses { try? await front.store(response, for: key, since: mark) }
    // The front storage must have all variants or none; otherwise a missing variant wouldn't be
    // looked up behind it.
    guard responses.count > 1, let stored = try? await front.responses(for: key),
      !stored.isEmpty, stored.count < responses.count
    else { return }
    try? await front.remove(.entry(key))
  }

  /// Returns the position in the history of the back storage, which others may share.
  ///
  /// - Throws: What the back storage throws.
  package func mark() async throws -> RemovalMark { try await back.mark() }

  /// Stores a response in the back storage, and removes the key from the front storage.
  ///
  /// - Throws: What one of the storages throws.
  package func store(
    _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark
  ) async throws {
    // Storing can evict other responses, so the uses must be known before.
    back.noteUse(of: uses.withLock { $0.take() })
    try await back.store(response, for: key, since: mark)
    // It is copied forward when it is used. From here on nothing older is.
    try await front.remove(.entry(key))
  }

  /// Records the uses in both storages.
  package func noteUse(of keys: Set<CacheKey>) {
    front.noteUse(of: keys)
    back.noteUse(of: keys)
  }

  /// Removes responses from both storages.
  ///
  /// - Throws: What one of the storages throws.
  package func remove(_ scope: CacheScope) async throws {
    do { try await back.remove(scope) } catch {
      try await front.remove(scope)
      throw error
    }
    // After the back storage, so that nothing removed is copied forward again.
    try await front.remove(scope)
  }
}

/// The keys that were used since the last write to a database, so that a hit needs no write.
package struct RecentUses: Sendable {
  private var keys: Set<CacheKey> = []

  /// Further uses aren't recorded.
  private static let limit = 1024

  /// Creates an empty set.
  package init() {}

  /// Records a use.
  package mutating func note(_ key: CacheKey) {
    if keys.count < Self.limit { keys.insert(key) }
  }

  /// Returns and removes all keys.
  package mutating func take() -> Set<CacheKey> {
    defer { keys = [] }
    return keys
  }
}
