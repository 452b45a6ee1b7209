/// A moment in the history of what was removed from a storage.
public struct RemovalMark: Sendable, Hashable {
  /// Which history it belongs to: of a file that was begun anew, all earlier marks are void.
  public let history: Int64
  /// How many removals there had been.
  public let number: Int64

  /// Makes a mark, as a storage does that keeps its history in a database.
  ///
  /// - Parameters:
  ///   - history: Which history it belongs to.
  ///   - number: How many removals there had been.
  public init(history: Int64, number: Int64) {
    self.history = history
    self.number = number
  }
}

/// The latest removals from a storage: what was asked for before a removal mustn't be stored after it.
///
/// A value without a lock. It keeps a few hundred removals; what was asked for before all of them counts as removed.
public struct RemovalLog: Sendable {
  private var removals: [CacheScope] = []
  private var count: Int64 = 0
  private let history = Int64.random(in: .min ... .max)

  /// How many removals are kept at least.
  static let limit = 512

  /// Makes an empty log.
  public init() {}
}

extension RemovalLog {
  /// The present moment.
  public var mark: RemovalMark { RemovalMark(history: history, number: count) }

  /// Takes note of a removal.
  public mutating func note(_ scope: CacheScope) {
    count += 1
    removals.append(scope)
    // Not each time: that would move all of them.
    if removals.count >= 2 * Self.limit { removals.removeFirst(Self.limit) }
  }

  /// Returns whether what belongs to a key was removed since a moment, or may have been.
  public func covers(_ key: CacheKey, since mark: RemovalMark) -> Bool {
    guard mark.history == history, count - mark.number <= removals.count else { return true }
    return removals.suffix(Int(count - mark.number)).contains { $0.covers(key) }
  }
}

/// What should have been removed from a storage that failed to, without the lock. Until that is made up for,
/// nothing of it may be used.
struct OwedRemovals {
  private static let limit = 256

  private var scopes: Set<CacheScope> = []
}

extension OwedRemovals {
  /// A removal failed.
  mutating func owe(_ scope: CacheScope) {
    scopes.insert(scope)
    // A storage that fails that often is better emptied than remembered.
    if scopes.count > Self.limit { scopes = [.everything] }
  }

  /// What has to be removed before a key may be used.
  func due(for key: CacheKey) -> [CacheScope] { scopes.filter { $0.covers(key) } }

  /// A removal was made up for.
  mutating func settle(_ scope: CacheScope) {
    if scope == .everything { scopes = [] } else { scopes.remove(scope) }
  }
}
