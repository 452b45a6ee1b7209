/// Stores the responses of an ``HTTPCache``. It only decides what to evict when there is no more room.
///
/// ``MemoryResponseStorage`` keeps responses in memory, `SQLiteResponseStorage` of the module `ResourceStore` in a file,
/// and ``TieredResponseStorage`` puts a fast storage in front of a persistent one. A server program can implement this
/// protocol with another database.
///
/// An error of a storage fails no load: the cache reports it to the client's observer, and the load goes on as if nothing
/// were stored. Responses that couldn't be removed aren't used.
public protocol ResponseStorage: Sendable {
  /// Returns the variants of a response, in any order.
  ///
  /// - Parameter key: The URL and the partition.
  /// - Returns: The responses as they were stored; empty if there are none.
  /// - Throws: Any error; the load goes to the server then. A missing response is no error.
  func responses(for key: CacheKey) async throws -> [StoredResponse]

  /// Returns the variants of a response if that takes no waiting, so that a load needs no task of its own for a hit. The
  /// default implementation returns `nil`.
  ///
  /// - Parameter key: The URL and the partition.
  /// - Returns: What ``responses(for:)`` returns, or `nil` if the cache has to call that: because of a lock that others
  ///   hold, a slow medium or a failure.
  func immediateResponses(for key: CacheKey) -> [StoredResponse]?

  /// Returns the current position in the history of removals. Every call of ``remove(_:)`` advances it, also one by
  /// another process that shares the stored responses.
  ///
  /// - Returns: The mark for ``store(_:for:since:)``, for responses that are requested from now on.
  /// - Throws: Any error; the response that is requested now isn't stored then.
  func mark() async throws -> RemovalMark

  /// Stores a response and replaces the one with the same ``StoredResponse/variant``, unless the key was removed since a
  /// mark, or may have been. This check and the storing must be atomic.
  ///
  /// - Parameters:
  ///   - response: The response. One that is too large for the storage isn't stored, and removes its predecessor.
  ///   - key: The URL and the partition.
  ///   - mark: The result of ``mark()`` before the request was sent. A storage for one process can use a ``RemovalLog``.
  /// - Throws: Any error; the cache removes the predecessor then. A response that wasn't stored because it was removed
  ///   or is too large is no error.
  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async throws

  /// Records that responses were used that another storage in front of this one has found. A storage that evicts the
  /// least recently used responses takes them into account; the default implementation does nothing.
  ///
  /// - Parameter keys: The keys; for some of them nothing may be stored.
  func noteUse(of keys: Set<CacheKey>)

  /// Removes responses, and advances the history of removals.
  ///
  /// - Parameter scope: The responses.
  /// - Throws: Any error; the cache doesn't use these responses then, until a removal has succeeded.
  func remove(_ scope: CacheScope) async throws
}

extension ResponseStorage {
  /// Returns `nil`.
  public func immediateResponses(for key: CacheKey) -> [StoredResponse]? { nil }

  /// Does nothing.
  public func noteUse(of keys: Set<CacheKey>) {}
}

/// A set of responses to remove from a cache.
public enum CacheScope: Sendable, Hashable {
  /// All variants of a key.
  case entry(CacheKey)
  /// The responses of a URL, in the form of ``CacheKey/url``, in all partitions.
  case url(String)
  /// The responses of a partition.
  case partition(CachePartition)
  /// The responses of all partitions except ``CachePartition/anonymous``.
  case credentials
  /// All responses.
  case everything
}

extension CacheScope {
  /// Returns whether the responses of a key are to be removed.
  public func covers(_ key: CacheKey) -> Bool {
    switch self {
    case .entry(let other): key == other
    case .url(let url): key.url == url
    case .partition(let partition): key.partition == partition
    case .credentials: key.partition != .anonymous
    case .everything: true
    }
  }
}
