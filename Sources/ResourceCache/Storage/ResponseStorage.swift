/// Where an ``HTTPCache`` keeps responses. It decides nothing but what to give up when there is no more room.
///
/// There is one in memory, one that puts a quick storage before a lasting one, and in the module `ResourceStore` one in
/// SQLite. A server program can put another database behind this protocol.
///
/// A storage that fails does no harm: the cache tells the client's observer, and the load goes on as if nothing
/// were stored. What couldn't be removed isn't used any more.
public protocol ResponseStorage: Sendable {
  /// The variants of a response that are stored under a key, in any order.
  ///
  /// - Parameter key: The URL, and whose it is.
  /// - Returns: What ``store(_:for:since:)`` was given, unchanged; empty if there is nothing.
  /// - Throws: Any error.
  func responses(for key: CacheKey) async throws -> [StoredResponse]

  /// The present moment in the history of removals. Every call of ``remove(_:)``, by whoever shares what is stored
  /// with this storage, makes a new one.
  ///
  /// - Returns: What ``store(_:for:since:)`` is given for what is asked for from now on.
  /// - Throws: Any error; then nothing is stored that is asked for now.
  func mark() async throws -> RemovalMark

  /// Stores a response in the place of that with the same ``StoredResponse/variant``, unless something that belongs to
  /// the key was removed since a moment, or may have been. Nothing may come between this check and the storing.
  ///
  /// - Parameters:
  ///   - response: What to store; one that is too large for the storage is left out, and what was in its place
  ///     is removed.
  ///   - key: The URL, and whose it is.
  ///   - mark: What ``mark()`` returned before the response was asked for. A storage for one process can keep a
  ///     ``RemovalLog`` for it.
  /// - Throws: Any error.
  func store(_ response: StoredResponse, for key: CacheKey, since mark: RemovalMark) async throws

  /// Tells that what is stored under keys was used without being asked for here, because something before this storage
  /// has it too. A storage that gives up what was used least recently counts it; by default nothing happens.
  ///
  /// - Parameter keys: The URLs, and whose they are; there may be nothing under some of them.
  func noteUse(of keys: Set<CacheKey>)

  /// Removes what is stored, also what is on its way.
  ///
  /// - Parameter scope: Which of it.
  /// - Throws: Any error; then it isn't certain what is left.
  func remove(_ scope: CacheScope) async throws
}

extension ResponseStorage {
  /// Nothing.
  public func noteUse(of keys: Set<CacheKey>) {}
}

/// What is to be removed from a cache.
public enum CacheScope: Sendable, Hashable {
  /// What is stored under one key, in all its variants.
  case entry(CacheKey)
  /// What is stored of a URL for anybody; as ``CacheKey/url`` writes it.
  case url(String)
  /// What belongs to one credential.
  case partition(CachePartition)
  /// What belongs to any credential: all but ``CachePartition/anonymous``.
  case credentials
  /// All of it.
  case everything
}

extension CacheScope {
  /// Whether what is stored under a key is to be removed.
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
