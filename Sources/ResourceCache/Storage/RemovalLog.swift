/// A position in the history of removals from a storage.
public struct RemovalMark: Sendable, Hashable {
  /// Identifies the history. A file that is created again has a new one, so that earlier marks are invalid.
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

/// The latest removals from a storage: a response that was requested before a removal must not be stored after it.
///
/// It keeps at least 512 removals. A response that was requested before all of them counts as removed.
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

  /// Returns whether a key was removed since a mark, or may have been.
  public func covers(_ key: CacheKey, since mark: RemovalMark) -> Bool {
    guard mark.history == history, count - mark.number <= removals.count else { return true }
    return removals.suffix(Int(count - mark.number)).contains { $0.covers(key) }
  }
}

/// Removals that have failed. Until they are repeated with success, the responses must not be used.
struct PendingRemovals {
  private static let limit = 256

  private var scopes: Set<CacheScope> = []
}

extension PendingRemovals {
  mutating func add(_ scope: CacheScope) {
    scopes.insert(scope)
    // After that many failures, the storage is emptied.
    if scopes.count > Self.limit { scopes = [.everything] }
  }

  /// Returns the removals that must succeed before a key may be used.
  func covering(_ key: CacheKey) -> [CacheScope] { scopes.filter { $0.covers(key) } }

  mutating func remove(_ scope: CacheScope) {
    if scope == .everything { scopes = [] } else { scopes.remove(scope) }
  }
}
