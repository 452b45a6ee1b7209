/// A dictionary that knows its least recently used value.
///
/// Every operation takes constant time on average: uses are appended to a list, and those that a later use has replaced
/// are skipped.
struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    var value: Value
    var lastUse: Int
  }

  private struct Use: Sendable {
    let key: Key
    let number: Int
  }

  private var entries: [Key: Entry] = [:]
  private var uses: [Use] = []
  /// The first use that wasn't looked at yet.
  private var firstUse = 0
  private var useCount = 0
}

extension LRUCache {
  /// The value of a key; reading it counts as a use.
  subscript(key: Key) -> Value? {
    mutating get {
      guard let index = entries.index(forKey: key) else { return nil }
      note(key)
      entries.values[index].lastUse = useCount
      return entries.values[index].value
    }
    set {
      guard let newValue else {
        entries[key] = nil
        return
      }
      note(key)
      entries[key] = Entry(value: newValue, lastUse: useCount)
    }
  }

  /// Returns the value of a key, which doesn't count as a use.
  func peek(_ key: Key) -> Value? { entries[key]?.value }

  /// The keys, in any order.
  var keys: some Collection<Key> { entries.keys }

  /// Removes the least recently used value.
  mutating func removeLeastRecent() -> (key: Key, value: Value)? {
    while firstUse < uses.count {
      let use = uses[firstUse]
      firstUse += 1
      guard let entry = entries[use.key], entry.lastUse == use.number else { continue }
      entries[use.key] = nil
      return (use.key, entry.value)
    }
    return nil
  }

  private mutating func note(_ key: Key) {
    useCount += 1
    uses.append(Use(key: key, number: useCount))
    if uses.count > 2 * entries.count + 64 { removeReplacedUses() }
  }

  private mutating func removeReplacedUses() {
    uses = uses[firstUse...].filter {
      $0.number == useCount || entries[$0.key]?.lastUse == $0.number
    }
    firstUse = 0
  }
}

/// The elements that were used since the last write to a database, so that a hit needs no write.
package struct RecentUses<Element: Hashable & Sendable>: Sendable {
  private var elements: Set<Element> = []

  /// Creates an empty set.
  package init() {}
}

extension RecentUses {
  /// Further uses aren't recorded.
  private static var limit: Int { 1024 }

  /// Records a use.
  package mutating func note(_ element: Element) {
    if elements.count < Self.limit { elements.insert(element) }
  }

  /// Returns and removes all elements.
  package mutating func take() -> Set<Element> {
    defer { elements = [] }
    return elements
  }
}
