internal import ResourceLoading
internal import Synchronization

/// Stores the responses of an ``HTTPCache`` in memory, and evicts the least recently used ones.
public final class MemoryResponseStorage: ResponseStorage {
  private let entries: Mutex<MemoryEntries>

  /// Creates an empty storage for at most `maximumSize` bytes of bodies and headers.
  package init(maximumSize: Int = 16 << 20) {
    entries = Mutex(MemoryEntries(maximumSize: max(0, maximumSize)))
  }

  /// The approximate number of bytes of all bodies and headers.
  public var size: Int { entries.withLock(\.size) }

  public func responses(for key: CacheKey) -> [StoredResponse] {
    entries.withLock { $0.responses(for: key) }
  }

  public func immediateResponses(for key: CacheKey) -> [StoredResponse]? { responses(for: key) }

  public func mark() -> RemovalMark { entries.withLock(\.log.mark) }

  public func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) {
    entries.withLock { entries in
      if !entries.log.covers(response, under: key, since: mark) {
        entries.store(response, for: key)
      }
    }
  }

  public func remove(_ scope: CacheScope) { entries.withLock { $0.remove(scope) } }
}

extension MemoryResponseStorage: ListedResponseStorage {
  package func list(_ request: ResponseListRequest) -> ResponseList? {
    entries.withLock { $0.list(request) }
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

private struct MemoryEntries: Sendable {
  private let maximumSize: Int
  private var entries: [CacheKey: Entry] = [:]
  /// The keys of a URL.
  private var keys: [String: Set<CacheKey>] = [:]
  /// The approximate number of bytes of all responses.
  private(set) var size = 0
  private var useCount = 0
  private(set) var log = RemovalLog()

  private struct Entry: Sendable {
    var variants: [StoredResponse]
    let size: Int
    var lastUse: Int
  }

  /// The maximum number of variants of a key; the oldest one is removed.
  private static let variantLimit = 32

  init(maximumSize: Int) { self.maximumSize = maximumSize }

  mutating func responses(for key: CacheKey) -> [StoredResponse] {
    guard let index = entries.index(forKey: key) else { return [] }
    useCount += 1
    entries.values[index].lastUse = useCount
    return entries.values[index].variants
  }

  mutating func store(_ response: StoredResponse, for key: CacheKey) {
    let variant = response.variant
    let stored = entries[key]?.variants ?? []
    if let same = stored.first(where: { $0.variant == variant }), response.isOutdated(by: same) {
      return
    }
    var variants = stored.filter { $0.variant != variant }
    if response.size(under: key) <= maximumSize { variants.append(response) }
    variants.removeFirst(max(0, variants.count - Self.variantLimit))
    useCount += 1
    set(variants, for: key, lastUse: useCount)
    if size > maximumSize { evict() }
  }

  private mutating func set(_ variants: [StoredResponse], for key: CacheKey, lastUse: Int) {
    remove(key)
    guard !variants.isEmpty else { return }
    let entry = Entry(
      variants: variants, size: variants.reduce(0) { $0 + $1.size(under: key) }, lastUse: lastUse)
    entries[key] = entry
    keys[key.url, default: []].insert(key)
    size += entry.size
  }

  /// Removes the least recently used responses, and a tenth more than necessary, so that not every
  /// call of `store` evicts.
  private mutating func evict() {
    let newest = useCount
    for (key, entry) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
      let isLast = entry.lastUse == newest
      guard size > (isLast ? maximumSize : maximumSize - maximumSize / 10) else { return }
      remove(key)
    }
  }

  func list(_ request: ResponseListRequest) -> ResponseList {
    let latest = entries.indices.map { (index: $0, use: entries[$0].value.lastUse) }
      .sorted { $0.use > $1.use }
    let responses = latest.lazy.flatMap { place in
      let (key, entry) = entries[place.index]
      return entry.variants.reversed().map { ListedResponse($0, under: key, request.hashKey) }
    }
    return ResponseList(
      responses: Array(responses.prefix(request.limit)),
      count: entries.values.reduce(0) { $0 + $1.variants.count }, size: size)
  }

  mutating func remove(_ scope: CacheScope) {
    log.note(scope)
    switch scope {
    case .entry(let key): remove(key)
    case .url(let url):
      for key in keys[url] ?? [] { remove(key) }
    case .groups:
      for (key, entry) in entries {
        let kept = entry.variants.filter { !scope.covers($0, under: key) }
        if kept.count < entry.variants.count { set(kept, for: key, lastUse: entry.lastUse) }
      }
    case .partition, .credentials, .everything:
      for key in entries.keys.filter(scope.covers) { remove(key) }
    }
  }

  private mutating func remove(_ key: CacheKey) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    size -= entry.size
    keys[key.url]?.remove(key)
    if keys[key.url]?.isEmpty == true { keys[key.url] = nil }
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
