/// Values by their keys, and which of them were used least recently.
///
/// Every use costs the same, however many there are: it is noted behind the earlier ones, and what was noted
/// before counts no more when its turn comes.
struct Recency<Key: Hashable & Sendable, Value: Sendable>: Sendable {
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
  /// Before this position, all uses have had their turn.
  private var firstUse = 0
  private var useCount = 0
}

extension Recency {
  /// The value of a key; reading it uses it.
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

  /// The value of a key, which isn't used by that.
  func peek(_ key: Key) -> Value? { entries[key]?.value }

  /// The keys, in any order.
  var keys: some Collection<Key> { entries.keys }

  var count: Int { entries.count }

  /// Takes out what was used least recently.
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
    if uses.count > 2 * entries.count + 64 { forgetOutdatedUses() }
  }

  private mutating func forgetOutdatedUses() {
    uses = uses[firstUse...].filter {
      $0.number == useCount || entries[$0.key]?.lastUse == $0.number
    }
    firstUse = 0
  }
}

/// What was used since somebody wrote last, without the lock. A hit writes nothing; the next write tells.
package struct NotedUses<Element: Hashable & Sendable>: Sendable {
  private var elements: Set<Element> = []

  package init() {}
}

extension NotedUses {
  /// Of many hits in a row those that can't be kept count less.
  private static var limit: Int { 1024 }

  /// Something was used.
  package mutating func note(_ element: Element) {
    if elements.count < Self.limit { elements.insert(element) }
  }

  /// Takes all of them out.
  package mutating func take() -> Set<Element> {
    defer { elements = [] }
    return elements
  }
}
