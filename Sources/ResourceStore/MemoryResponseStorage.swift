internal import Synchronization

/// Keeps the responses of an ``HTTPCache`` in memory: those that were used last, as many as there is room for.
public final class MemoryResponseStorage: ResponseStorage {
  private let state: Mutex<State>

  private struct State {
    var entries: MemoryEntries
    var log = RemovalLog()
  }

  /// Makes an empty storage.
  ///
  /// - Parameter maximumSize: How many bytes it takes at most, bodies and headers.
  public init(maximumSize: Int = 16 << 20) {
    state = Mutex(State(entries: MemoryEntries(maximumSize: max(0, maximumSize))))
  }

  /// How many bytes are taken, about.
  public var size: Int { state.withLock { $0.entries.size } }

  public func responses(for key: CacheKey) -> [StoredResponse] {
    state.withLock { $0.entries.responses(for: key) }
  }

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
  /// - Parameter maximumSize: How many bytes it takes at most, bodies and headers.
  public static func memory(maximumSize: Int = 16 << 20) -> MemoryResponseStorage {
    MemoryResponseStorage(maximumSize: maximumSize)
  }
}
