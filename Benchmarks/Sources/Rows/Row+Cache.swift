extension Row {
  // What a load costs that needs no network, beside the cheapest one that does: from memory, and
  // from a file.
  public static let cacheMemoryHit = Row(
    "cache-hit-memory", operations: 200, goals: [.allowed: 1])
  public static let cacheSQLiteHit = Row(
    "cache-hit-sqlite", operations: 200, goals: [.allowed: 1])

  // Whether a hit stays as cheap among a hundred times as many responses.
  public static let cacheMemoryHitAmongMany = Row(
    "cache-hit-memory-among-100000", operations: 200, goals: [.amongFew: 1.3])
  public static let cacheSQLiteHitAmongMany = Row(
    "cache-hit-sqlite-among-100000", operations: 200, goals: [.amongFew: 1.3])

  /// All rows of the cache suite, in the order of the table.
  public static let cache = [
    cacheMemoryHit, cacheSQLiteHit, cacheMemoryHitAmongMany, cacheSQLiteHitAmongMany,
  ]
}
