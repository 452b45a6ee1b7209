import ResourceOutbox

/// Which conflicts are being looked at, each by one task at a time, which takes as long as the user
/// does.
struct SyncConflicts<Model: SyncedModel> {
  typealias Failure = SyncFailure<Model>

  private struct Conflict {
    /// The conflict as it was found last.
    var failure: Failure
    var isUnderWay = false
    /// Whether it is to be looked at, or again.
    var isDue = true
    /// Whether a pull was begun to learn what the server has.
    var isPulled = false
  }

  private var conflicts: [OutboxEntry.ID: Conflict] = [:]
  /// The last read whose conflicts were looked at.
  private var lastRead = 0

  /// Begins to look at conflicts, and forgets those that are over.
  ///
  /// - Parameters:
  ///   - current: All conflicts there are.
  ///   - read: The number of the read that has found them. Earlier ones may come later.
  /// - Returns: Those to look at now: new ones, those of which it has become known what the server
  ///   has, and those to be reconsidered.
  mutating func begin(_ current: [Failure], of read: Int) -> [Failure] {
    guard read > lastRead else { return [] }
    lastRead = read
    let ids = Set(current.map(\.id))
    conflicts = conflicts.filter { $0.value.isUnderWay || ids.contains($0.key) }
    for failure in current {
      var conflict = conflicts[failure.id] ?? Conflict(failure: failure)
      if failure.known != nil && conflict.failure.known == nil { conflict.isDue = true }
      conflict.failure = failure
      conflicts[failure.id] = conflict
    }
    return current.compactMap { next($0.id) }
  }

  /// Ends a look at a conflict.
  ///
  /// - Returns: The conflict if it is to be looked at again.
  mutating func end(_ id: OutboxEntry.ID, isDecided: Bool) -> Failure? {
    // The next conflict of the entry is looked at like the first.
    if isDecided { conflicts[id] = nil }
    conflicts[id]?.isUnderWay = false
    return next(id)
  }

  private mutating func next(_ id: OutboxEntry.ID) -> Failure? {
    guard var conflict = conflicts[id], conflict.isDue, !conflict.isUnderWay else { return nil }
    (conflict.isDue, conflict.isUnderWay) = (false, true)
    conflicts[id] = conflict
    return conflict.failure
  }

  /// Returns whether to pull in order to learn what the server has: once for each conflict.
  mutating func beginPull(_ id: OutboxEntry.ID) -> Bool {
    guard let conflict = conflicts[id], !conflict.isPulled else { return false }
    conflicts[id]?.isPulled = true
    return true
  }

  /// Lets all conflicts be looked at again, those under way if they end undecided.
  mutating func reconsider() {
    for id in conflicts.keys { conflicts[id]?.isDue = true }
  }
}
