/// What is in flight, each thing under a key, until it ends or all of it is closed; without the lock.
struct InFlight<Key: Hashable & Sendable, Entry: AnyObject & Sendable>: Sendable {
  private var entries: [Key: Entry] = [:]
  /// Whether nothing can begin any more.
  private(set) var isClosed = false
}

extension InFlight {
  /// What is in flight under a key.
  subscript(key: Key) -> Entry? { entries[key] }

  /// The things in flight.
  var all: [Entry] { Array(entries.values) }

  /// How many things are in flight.
  var count: Int { entries.count }

  /// Enters something, unless another thing is in flight under its key.
  ///
  /// - Returns: What is in flight, this or the other; `nil` if it is closed.
  mutating func begin(_ entry: Entry, for key: Key) -> Entry? {
    guard !isClosed else { return nil }
    if let other = entries[key] { return other }
    entries[key] = entry
    return entry
  }

  /// Takes something out, unless something newer is in flight under its key.
  mutating func end(_ entry: Entry, for key: Key) {
    guard let index = entries.index(forKey: key), entries.values[index] === entry else { return }
    entries.remove(at: index)
  }

  /// Takes out what is in flight under a key.
  mutating func end(_ key: Key) -> Entry? { entries.removeValue(forKey: key) }

  /// From now on nothing begins any more.
  ///
  /// - Returns: What is in flight, which stays there until it ends; nothing if it was closed before.
  mutating func close() -> [Entry] {
    guard !isClosed else { return [] }
    isClosed = true
    return Array(entries.values)
  }
}
