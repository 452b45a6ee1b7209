import PromiseModule
import Synchronization

/// A register of what is in flight, each value with a key, until it ends or the register is closed.
struct InFlight<Key: Hashable & Sendable, Entry: AnyObject & Sendable>: Sendable {
  private var entries: [Key: Entry] = [:]
  /// Whether nothing can be added anymore.
  private(set) var isClosed = false
}

extension InFlight {
  subscript(key: Key) -> Entry? { entries[key] }

  var isEmpty: Bool { entries.isEmpty }

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

  /// Closes the register to new values; those in flight stay until they end.
  mutating func refuse() { isClosed = true }

  /// Closes the register, and returns the values, which stay until they end; none if it was already
  /// closed.
  mutating func close() -> [Entry] {
    guard !isClosed else { return [] }
    isClosed = true
    return all
  }
}

/// Waits until a closed register is empty.
final class Drain: Sendable {
  private let waiting = Mutex<[Promise<Void>.Resolver]>([])

  /// Waits until ``end()`` is called or the calling task is cancelled; not at all if the register is
  /// empty.
  func wait(unless isEmpty: () -> Bool) async {
    let (promise, resolver) = Promise<Void>.pending()
    waiting.withLock { $0.append(resolver) }
    if isEmpty() { end() }
    try? await promise.get()
  }

  /// Ends all waits, because the last value has left.
  func end() {
    let waiting = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for resolver in waiting { resolver.fulfill() }
  }
}
