internal import ResourceLoading
internal import Synchronization

/// Stores the responses of an ``HTTPCache`` in memory, and evicts the least recently used ones.
public final class MemoryResponseStorage: ResponseStorage {
  private let state: Mutex<State>

  private struct State {
    var entries: MemoryEntries
    var log = RemovalLog()
  }

  /// Creates an empty storage.
  ///
  /// - Parameter maximumSize: The maximum number of bytes of all bodies and headers.
  public init(maximumSize: Int = 16 << 20) {
    state = Mutex(State(entries: MemoryEntries(maximumSize: max(0, maximumSize))))
  }

  /// The approximate number of bytes of all bodies and headers.
  public var size: Int { state.withLock { $0.entries.size } }

  public func responses(for key: CacheKey) -> [StoredResponse] {
    state.withLock { $0.entries.responses(for: key) }
  }

  public func immediateResponses(for key: CacheKey) -> [StoredResponse]? { responses(for: key) }

  public func mark() -> RemovalMark { state.withLock { $0.log.mark } }

  public func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) {
    state.withLock { state in
      if !state.log.covers(key, since: mark) { state.entries.store(response, for: key) }
    }
  }

  public func remove(_ scope: CacheScope) {
    state.withLock { state in
      state.log.note(scope)
      state.entries.remove(scope)
    }
  }
}

extension ResponseStorage where Self == MemoryResponseStorage {
  /// A storage in memory.
  ///
  /// - Parameter maximumSize: The maximum number of bytes of all bodies and headers.
  public static func memory(maximumSize: Int = 16 << 20) -> MemoryResponseStorage {
    MemoryResponseStorage(maximumSize: maximumSize)
  }
}

/// The responses of a ``MemoryResponseStorage``.
struct MemoryEntries: Sendable {
  private let maximumSize: Int
  private var entries = LRUCache<CacheKey, [StoredResponse]>()
  /// The partitions that have responses of a URL.
  private var partitions: [String: Set<CachePartition>] = [:]
  /// The approximate number of bytes of all responses.
  private(set) var size = 0

  /// The maximum number of variants of a key; the oldest one is removed.
  private static let variantLimit = 32

  init(maximumSize: Int) { self.maximumSize = maximumSize }
}

extension MemoryEntries {
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
  /// Returns the approximate number of bytes of the response and its row or entry.
  package func size(under key: CacheKey) -> Int {
    let fields = [response.headers, selectingHeaders].joined()
    return fields.reduce(256 + key.url.utf8.count + response.body.count) {
      $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count + 32
    }
  }
}
