internal import Synchronization

/// Keeps the responses of an ``HTTPCache`` in memory: those that were used last, as many as there is room for.
public final class MemoryResponseStorage: ResponseStorage {
  private let state: Mutex<MemoryEntries>

  /// Makes an empty storage.
  ///
  /// - Parameter maximumSize: How many bytes it takes at most, bodies and headers.
  public init(maximumSize: Int = 16 << 20) {
    state = Mutex(MemoryEntries(maximumSize: max(0, maximumSize)))
  }

  /// How many bytes are taken, about.
  public var size: Int { state.withLock { $0.size } }

  public func responses(for key: CacheKey) -> [StoredResponse] {
    state.withLock { $0.responses(for: key) }
  }

  public func store(_ response: StoredResponse, for key: CacheKey) {
    state.withLock { $0.store(response, for: key) }
  }

  public func remove(_ scope: CacheScope) {
    state.withLock { $0.remove(scope) }
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
