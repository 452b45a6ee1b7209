internal import Synchronization

/// Puts a quick storage before a lasting one. Both get everything; what the quick one has lost comes back when it is
/// used.
public final class TieredResponseStorage: ResponseStorage {
  private let front: any ResponseStorage
  private let back: any ResponseStorage
  /// What was found in front since something was stored last; it counts behind, too.
  private let uses = Mutex(NotedUses<CacheKey>())

  /// Puts a storage before another.
  ///
  /// - Parameters:
  ///   - front: What is asked first. It is to be used by nobody else.
  ///   - back: What has everything.
  public init(_ front: some ResponseStorage, before back: some ResponseStorage) {
    self.front = front
    self.back = back
  }

  /// What is found in front without waiting; `nil` if there is nothing, or the front isn't in memory.
  func immediateResponses(for key: CacheKey) -> [StoredResponse]? {
    guard let found = (front as? MemoryResponseStorage)?.responses(for: key), !found.isEmpty else {
      return nil
    }
    uses.withLock { $0.note(key) }
    return found
  }

  public func responses(for key: CacheKey) async throws -> [StoredResponse] {
    // What fails in front may be found behind.
    if let found = try? await front.responses(for: key), !found.isEmpty {
      uses.withLock { $0.note(key) }
      return found
    }
    let mark = try? await front.mark()
    let found = try await back.responses(for: key)
    if let mark { await bringForward(found, for: key, since: mark) }
    return found
  }

  /// Puts what was found behind in front, unless it was replaced or removed meanwhile.
  private func bringForward(
    _ responses: [StoredResponse], for key: CacheKey, since mark: RemovalMark
  ) async {
    for response in responses { try? await front.store(response, for: key, since: mark) }
    // In front there are all variants or none: who asks for one that isn't there must find it behind.
    guard responses.count > 1, let there = try? await front.responses(for: key),
      !there.isEmpty, there.count < responses.count
    else { return }
    try? await front.remove(.entry(key))
  }

  /// The moment in the history of the lasting one, which others may share.
  public func mark() async throws -> RemovalMark { try await back.mark() }

  public func store(
    _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark
  ) async throws {
    // Only what is stored has others given up.
    back.noteUse(of: uses.withLock { $0.take() })
    try await back.store(response, for: key, since: mark)
    // It comes forward when it is asked for, and nothing older does after this.
    try await front.remove(.entry(key))
  }

  /// Tells both.
  public func noteUse(of keys: Set<CacheKey>) {
    front.noteUse(of: keys)
    back.noteUse(of: keys)
  }

  public func remove(_ scope: CacheScope) async throws {
    do { try await back.remove(scope) } catch {
      try await front.remove(scope)
      throw error
    }
    // Behind it is gone already, so that nothing that comes forward after this can be old.
    try await front.remove(scope)
  }
}
