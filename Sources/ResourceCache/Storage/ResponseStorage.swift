/// Stores the responses of an ``HTTPCache``. The only decision it makes is what to evict when it is
/// full.
///
/// ``MemoryResponseStorage`` keeps responses in memory, and `SQLiteResponseStorage` in the module
/// `ResourceStore` keeps them in a file. A server program can implement this protocol with another
/// database.
///
/// An error of a storage never fails a load. The cache reports it to the client's observer, and the
/// load continues as if nothing were stored. Responses that couldn't be removed aren't used.
public protocol ResponseStorage: Sendable {
  /// Returns the variants of a response, in any order.
  ///
  /// - Parameter key: The URL and the partition.
  /// - Returns: The responses as they were stored; empty if there are none.
  /// - Throws: Any error; the load then goes to the server. A missing response isn't an error.
  func responses(for key: CacheKey) async throws -> [StoredResponse]

  /// Returns the variants of a response if that needs no waiting, so that a hit doesn't suspend the
  /// load. The default implementation returns `nil`.
  ///
  /// - Parameter key: The URL and the partition.
  /// - Returns: The result of ``responses(for:)``, or `nil` if the cache has to call that instead,
  ///   because of a contended lock, a slow medium or a failure.
  func immediateResponses(for key: CacheKey) -> [StoredResponse]?

  /// Returns the current position in the history of removals. Every call of ``remove(_:)`` advances
  /// it, including calls in other processes that share the stored responses.
  ///
  /// - Returns: The mark for ``store(_:for:since:)``, for responses that are requested from now on.
  /// - Throws: Any error; the response that is requested now is then not stored.
  func mark() async throws -> RemovalMark

  /// Stores a response, which replaces the one with the same ``StoredResponse/variant``. It isn't
  /// stored if that one is newer (``StoredResponse/isOutdated(by:)``), or if a removal since a mark
  /// includes or may include it (``CacheScope/covers(_:under:)``). These checks and storing the
  /// response must be one atomic operation.
  ///
  /// - Parameters:
  ///   - response: The response. One that is too large for the storage isn't stored, and removes
  ///     its predecessor.
  ///   - key: The URL and the partition.
  ///   - mark: The result of ``mark()`` before the request was sent. A storage for one process can
  ///     use a ``RemovalLog``.
  /// - Throws: Any error; the cache then removes the predecessor. It isn't an error if a response
  ///   isn't stored because it was removed or is too large.
  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async throws

  /// Records uses of responses that a storage in front of this one has found. A storage that evicts
  /// the least recently used responses takes them into account. The default implementation does
  /// nothing.
  ///
  /// - Parameter keys: The keys. Some of them may have no stored responses.
  func noteUse(of keys: Set<CacheKey>)

  /// Removes responses, and advances the history of removals.
  ///
  /// - Parameter scope: The responses.
  /// - Throws: Any error; the cache then doesn't use these responses until a removal has succeeded.
  func remove(_ scope: CacheScope) async throws

  /// Asks for the right to request a response that isn't stored, so that only one of the processes
  /// that share the storage requests it. The default implementation returns
  /// ``ResponseLease/notNeeded``.
  ///
  /// The call doesn't wait for the others; the cache does, and looks for the response again after
  /// each call.
  ///
  /// - Parameters:
  ///   - key: The URL and the partition.
  ///   - variant: The ``StoredResponse/variant`` that the request selects, as far as it is known.
  /// - Throws: Any error; the cache then requests the response.
  func lease(for key: CacheKey, variant: String) async throws -> ResponseLease

  /// Ends a lease. It must not wait, and failing isn't an error, because a lease ends on its own
  /// after a time. The default implementation does nothing.
  ///
  /// - Parameters:
  ///   - token: The token of a ``ResponseLease/granted(token:)`` lease.
  ///   - key: The URL and the partition.
  ///   - variant: The variant for which it was granted.
  ///   - outcome: What others can expect.
  func endLease(
    _ token: String, for key: CacheKey, variant: String, _ outcome: ResponseLease.Outcome)
}

extension ResponseStorage {
  /// Returns `nil`.
  public func immediateResponses(for key: CacheKey) -> [StoredResponse]? { nil }

  /// Does nothing.
  public func noteUse(of keys: Set<CacheKey>) {}

  /// Returns ``ResponseLease/notNeeded``.
  public func lease(for key: CacheKey, variant: String) async throws -> ResponseLease {
    .notNeeded
  }

  /// Does nothing.
  public func endLease(
    _ token: String, for key: CacheKey, variant: String, _ outcome: ResponseLease.Outcome
  ) {}
}

/// Which of the processes that share a storage requests a response.
public enum ResponseLease: Sendable, Hashable {
  /// Each process requests the response for itself.
  case notNeeded
  /// This process requests the response, and others wait for it. The token identifies the lease.
  case granted(token: String)
  /// Another process requests the response, and has the lease for at most this time.
  case taken(Duration)

  /// What others can expect after a lease.
  public enum Outcome: Sendable, Hashable {
    /// The response was stored, and others can use it.
    case stored
    /// There was no response, or an error of the server. Another process may try.
    case failed
    /// Others can't use the response, so waiting for such a response is useless for a while.
    case notShared
  }
}

/// A set of responses to remove from a cache.
public enum CacheScope: Sendable, Hashable {
  /// All variants of a key.
  case entry(CacheKey)
  /// The responses of a URL, in the form of ``CacheKey/url``, in all partitions.
  case url(String)
  /// The responses that belong to at least one of some groups, in all partitions.
  case groups(Set<CacheGroup>)
  /// The responses of a partition.
  case partition(CachePartition)
  /// The responses of all partitions except ``CachePartition/anonymous``.
  case credentials
  /// All responses.
  case everything
}

extension CacheScope {
  /// Returns whether the scope includes all responses of a key.
  public func covers(_ key: CacheKey) -> Bool {
    switch self {
    case .entry(let other): key == other
    case .url(let url): key.url == url
    case .groups: false
    case .partition(let partition): key.partition == partition
    case .credentials: key.partition != .anonymous
    case .everything: true
    }
  }

  /// Returns whether the scope includes a response.
  public func covers(_ response: StoredResponse, under key: CacheKey) -> Bool {
    guard case .groups(let groups) = self else { return covers(key) }
    return !groups.isDisjoint(with: response.groups)
  }
}

/// A position in the history of removals from a storage.
public struct RemovalMark: Sendable, Hashable {
  /// Identifies the history. A file that is created again has a new one, so that earlier marks are
  /// invalid.
  public let history: Int64
  /// The number of removals so far.
  public let number: Int64

  /// Creates a mark, for storages that keep the history in a database.
  ///
  /// - Parameters:
  ///   - history: An identifier of the history.
  ///   - number: The number of removals so far.
  public init(history: Int64, number: Int64) {
    self.history = history
    self.number = number
  }
}

/// The latest removals from a storage. A response that was requested before a removal must not be
/// stored after it.
///
/// It keeps at least 512 removals. A response that was requested before all of them counts as
/// removed.
public struct RemovalLog: Sendable {
  private var removals: [CacheScope] = []
  private var count: Int64 = 0
  private let history = Int64.random(in: .min ... .max)

  /// The minimum number of removals that are kept.
  static let limit = 512

  /// Creates an empty log.
  public init() {}
}

extension RemovalLog {
  /// The current position.
  public var mark: RemovalMark { RemovalMark(history: history, number: count) }

  /// Records a removal.
  public mutating func note(_ scope: CacheScope) {
    count += 1
    removals.append(scope)
    // In batches, because removing the first element moves all others.
    if removals.count >= 2 * Self.limit { removals.removeFirst(Self.limit) }
  }

  /// Returns whether a response was removed since a mark, or may have been.
  public func covers(
    _ response: StoredResponse, under key: CacheKey, since mark: RemovalMark
  ) -> Bool {
    guard mark.history == history, count - mark.number <= removals.count else { return true }
    return removals.suffix(Int(count - mark.number)).contains {
      $0.covers(response, under: key)
    }
  }
}
