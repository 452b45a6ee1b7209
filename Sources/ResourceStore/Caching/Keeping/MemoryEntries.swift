internal import ResourceLoading

/// Responses in memory, without the lock.
struct MemoryEntries: Sendable {
  private let maximumSize: Int
  private var entries = Recency<CacheKey, [StoredResponse]>()
  /// Whose there is of each URL.
  private var partitions: [String: Set<CachePartition>] = [:]
  /// How many bytes all of them take.
  private(set) var size = 0

  /// How many variants of one URL are kept; the oldest goes first.
  private static let variantLimit = 32

  init(maximumSize: Int) { self.maximumSize = maximumSize }
}

extension MemoryEntries {
  var count: Int { entries.count }

  mutating func responses(for key: CacheKey) -> [StoredResponse] { entries[key] ?? [] }

  mutating func store(_ response: StoredResponse, for key: CacheKey) {
    let variant = response.variant
    var variants = (entries.peek(key) ?? []).filter { $0.variant != variant }
    if response.size(under: key) <= maximumSize { variants.append(response) }
    remove(key)
    guard !variants.isEmpty else { return }
    variants.removeFirst(max(0, variants.count - Self.variantLimit))
    entries[key] = variants
    partitions[key.url, default: []].insert(key.partition)
    size += Self.size(of: variants, key)
    while size > maximumSize, let (key, variants) = entries.removeLeastRecent() {
      forget(key, variants)
    }
  }

  mutating func remove(_ scope: CacheScope) {
    switch scope {
    case .entry(let key): remove(key)
    case .url(let url):
      for partition in partitions[url] ?? [] { remove(CacheKey(url: url, partition: partition)) }
    case .partition, .credentials, .everything:
      for key in entries.keys.filter(scope.covers) { remove(key) }
    }
  }

  private mutating func remove(_ key: CacheKey) {
    guard let variants = entries.peek(key) else { return }
    entries[key] = nil
    forget(key, variants)
  }

  private mutating func forget(_ key: CacheKey, _ variants: [StoredResponse]) {
    size -= Self.size(of: variants, key)
    partitions[key.url]?.remove(key.partition)
    if partitions[key.url]?.isEmpty == true { partitions[key.url] = nil }
  }

  private static func size(of variants: [StoredResponse], _ key: CacheKey) -> Int {
    variants.reduce(0) { $0 + $1.size(under: key) }
  }
}

extension StoredResponse {
  /// How many bytes it takes, about: its texts, its body, and what everything takes.
  func size(under key: CacheKey) -> Int {
    let fields = [response.headers, selectingHeaders].joined()
    return fields.reduce(256 + key.url.utf8.count + response.body.count) {
      $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count + 32
    }
  }
}
