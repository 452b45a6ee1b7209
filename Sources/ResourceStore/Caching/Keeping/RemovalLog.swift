/// What was removed while something was on its way into a storage, without the lock. What was asked for before a
/// removal mustn't be stored after it.
struct RemovalLog {
  /// The removals that somebody under way hasn't seen; the first one has the number `start`.
  private var removals: [CacheScope] = []
  private var start = 0
  /// How many removals there had been when each that is under way began.
  private var underWay: [Int: Int] = [:]
  private var lastTicket = 0
}

extension RemovalLog {
  /// Something begins that may be stored.
  ///
  /// - Returns: What it ends by.
  mutating func begin() -> Int {
    lastTicket += 1
    underWay[lastTicket] = start + removals.count
    return lastTicket
  }

  /// It is over, whatever came of it.
  mutating func end(_ ticket: Int) {
    underWay[ticket] = nil
    let seen = underWay.values.min() ?? start + removals.count
    removals.removeFirst(seen - start)
    start = seen
  }

  /// Something is removed.
  mutating func note(_ scope: CacheScope) {
    if !underWay.isEmpty { removals.append(scope) }
  }

  /// Whether what belongs to a key was removed since something began.
  func covers(_ key: CacheKey, since ticket: Int) -> Bool {
    guard let first = underWay[ticket] else { return true }
    return removals.dropFirst(first - start).contains { $0.covers(key) }
  }
}
