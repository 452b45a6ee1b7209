/// What is to be removed from a cache.
public enum CacheScope: Sendable, Hashable {
  /// What is stored under one key, in all its variants.
  case entry(CacheKey)
  /// What is stored of a URL for anybody; as ``CacheKey/url`` writes it.
  case url(String)
  /// What belongs to one credential.
  case partition(CachePartition)
  /// What belongs to any credential: all but ``CachePartition/anonymous``.
  case credentials
  /// All of it.
  case everything
}

extension CacheScope {
  /// Whether what is stored under a key is to be removed.
  public func covers(_ key: CacheKey) -> Bool {
    switch self {
    case .entry(let other): key == other
    case .url(let url): key.url == url
    case .partition(let partition): key.partition == partition
    case .credentials: key.partition != .anonymous
    case .everything: true
    }
  }
}
