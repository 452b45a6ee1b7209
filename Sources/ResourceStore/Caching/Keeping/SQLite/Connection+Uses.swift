extension Connection {
  /// What was used: rows that were read, and keys whose responses were had from elsewhere.
  struct Uses: Sendable {
    let rows: Set<Int64>
    let keys: Set<CacheKey>
  }

  /// Makes what was used the last that would be given up.
  func mark(_ uses: Uses, usedAt use: Int64) throws {
    for row in uses.rows {
      let update = try statement("UPDATE \"HTTPCache responses 2\" SET used = ?1 WHERE id = ?2")
      try update.bind(use, at: 1)
      try update.bind(row, at: 2)
      _ = try run(update)
    }
    for key in uses.keys {
      let update = try statement(
        "UPDATE \"HTTPCache responses 2\" SET used = ?5 WHERE \(ResponsePlaces.condition)")
      try ResponsePlaces(key).bind(to: update)
      try update.bind(use, at: 5)
      _ = try run(update)
    }
  }
}
