/// A register of what is in flight, each value with a key, until it ends or the register is closed.
struct InFlight<Key: Hashable & Sendable, Entry: AnyObject & Sendable>: Sendable {
  private var entries: [Key: Entry] = [:]
  /// Whether nothing can be added any more.
  private(set) var isClosed = false
}

extension InFlight {
  /// The value of a key.
  subscript(key: Key) -> Entry? { entries[key] }

  /// The values that are in flight.
  var all: [Entry] { Array(entries.values) }

  /// Adds a value, unless there is another one with its key.
  ///
  /// - Returns: The value that is in flight, this one or the other; `nil` if the register is
  ///   closed.
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

  /// Removes the value of a key.
  mutating func end(_ key: Key) -> Entry? { entries.removeValue(forKey: key) }

  /// Closes the register: nothing can be added any more.
  ///
  /// - Returns: The values, which stay until they end; none if it was closed before.
  mutating func close() -> [Entry] {
    guard !isClosed else { return [] }
    isClosed = true
    return Array(entries.values)
  }
}
