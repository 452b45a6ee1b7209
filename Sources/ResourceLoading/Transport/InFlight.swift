/// A register of what is in flight, each value with a key, until it ends or the register is closed.
struct InFlight<Key: Hashable & Sendable, Entry: AnyObject & Sendable>: Sendable {
  private var entries: [Key: Entry] = [:]
  /// Whether nothing can be added anymore.
  private(set) var isClosed = false
}

extension InFlight {
  subscript(key: Key) -> Entry? { entries[key] }

  var all: [Entry] { Array(entries.values) }

  /// Adds a value unless there is another one with its key. Returns the value in flight, this one
  /// or the other; `nil` if the register is closed.
  mutating func begin(_ entry: Entry, for key: Key) -> Entry? {
    guard !isClosed else { return nil }
    if let other = entries[key] { return other }
    entries[key] = entry
    return entry
  }

  /// Removes a value, unless there is a newer one with its key.
  mutating func end(_ entry: Entry, for key: Key) {
    guard let index = entries.index(forKey: key), entries.values[index] === entry else { return }
    entries.remove(at: index)
  }

  mutating func end(_ key: Key) -> Entry? { entries.removeValue(forKey: key) }

  /// Closes the register, and returns the values, which stay until they end; none if it was already
  /// closed.
  mutating func close() -> [Entry] {
    guard !isClosed else { return [] }
    isClosed = true
    return Array(entries.values)
  }
}
