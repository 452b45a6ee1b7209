/// Which rows were used since somebody wrote last, without the lock. A hit writes nothing; the next write tells.
struct NotedUses {
  private static let limit = 1024

  private var rows: Set<Int64> = []
}

extension NotedUses {
  /// A row was used.
  mutating func note(_ row: Int64) {
    // Of many hits in a row those that can't be kept count less.
    if rows.count < Self.limit { rows.insert(row) }
  }

  /// Takes all of them out.
  mutating func take() -> Set<Int64> {
    defer { rows = [] }
    return rows
  }
}
