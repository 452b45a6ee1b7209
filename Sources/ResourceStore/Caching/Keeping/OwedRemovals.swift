/// What should have been removed from a storage that failed to, without the lock. Until that is made up for,
/// nothing of it may be used.
struct OwedRemovals {
  private static let limit = 256

  private var scopes: Set<CacheScope> = []
}

extension OwedRemovals {
  /// A removal failed.
  mutating func owe(_ scope: CacheScope) {
    scopes.insert(scope)
    // A storage that fails that often is better emptied than remembered.
    if scopes.count > Self.limit { scopes = [.everything] }
  }

  /// What has to be removed before a key may be used.
  func due(for key: CacheKey) -> [CacheScope] { scopes.filter { $0.covers(key) } }

  /// A removal was made up for.
  mutating func settle(_ scope: CacheScope) {
    if scope == .everything { scopes = [] } else { scopes.remove(scope) }
  }
}
