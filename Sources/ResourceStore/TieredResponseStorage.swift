internal import Synchronization

/// Puts a quick storage before a lasting one. Both get everything; what the quick one has lost comes back when it is
/// used.
public final class TieredResponseStorage: ResponseStorage {
  private let front: any ResponseStorage
  private let back: any ResponseStorage
  private let log = Mutex(RemovalLog())
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

  public func responses(for key: CacheKey) async throws -> [StoredResponse] {
    // What fails in front may be found behind.
    if let found = try? await front.responses(for: key), !found.isEmpty {
      uses.withLock { $0.note(key) }
      return found
    }
    return try await unlessRemoved(key) {
      let found = try await back.responses(for: key)
      for response in found { try? await front.store(response, for: key) }
      return found
    }
  }

  public func store(_ response: StoredResponse, for key: CacheKey) async throws {
    // Only what is stored has others given up.
    back.noteUse(of: uses.withLock { $0.take() })
    try await back.store(response, for: key)
    log.withLock { $0.note(.entry(key)) }
    try await unlessRemoved(key) {
      // In front there are all variants or none: who asks for one that isn't there must find it behind.
      guard try await !front.responses(for: key).isEmpty else { return }
      try await front.store(response, for: key)
    }
  }

  /// Tells both.
  public func noteUse(of keys: Set<CacheKey>) {
    front.noteUse(of: keys)
    back.noteUse(of: keys)
  }

  /// Does something that may bring forward what was replaced or removed meanwhile, and undoes that.
  private func unlessRemoved<R>(
    _ key: CacheKey, _ body: () async throws -> R
  ) async throws -> R {
    let ticket = log.withLock { $0.begin() }
    defer { log.withLock { $0.end(ticket) } }
    let result = try await body()
    if log.withLock({ $0.covers(key, since: ticket) }) { try await front.remove(.entry(key)) }
    return result
  }

  public func remove(_ scope: CacheScope) async throws {
    do { try await back.remove(scope) } catch {
      try await removeInFront(scope)
      throw error
    }
    try await removeInFront(scope)
  }

  /// Behind it is gone already, so that nothing that comes forward after this was noted can be old.
  private func removeInFront(_ scope: CacheScope) async throws {
    log.withLock { $0.note(scope) }
    try await front.remove(scope)
  }
}
