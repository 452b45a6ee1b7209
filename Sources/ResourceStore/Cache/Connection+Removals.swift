internal import Foundation
internal import ResourceCache

// Removals of responses, and their history, which all processes share.
extension Connection {
  /// The current position in a history of removals. If the history has ended in the meantime, the
  /// mark covers everything.
  func removalMark(history: Int64) throws -> RemovalMark {
    RemovalMark(history: history, number: try lastRemoval())
  }

  /// Removes responses, and records it.
  func removeResponses(_ scope: CacheScope, expecting expected: HashKey) throws {
    let hashKey = try responseHashKey(expecting: expected)
    try record(scope, hashKey)
    switch scope {
    case .entry(let key):
      let rows = HashedCacheKey(key, hashKey).rows
      try removeRows(rows.condition, rows.values)
    case .url(let url):
      let rows = ResponseRowIDs(allOf: hashKey.hash(url))
      try removeRows(rows.condition, rows.values)
    case .partition(let partition):
      try removeRows("partition = ?1", [.blob(hashKey.hash(partition))])
    case .credentials: try removeRows("partition <> x''")
    case .everything: try removeRows("true")
    }
  }

  /// Removes damaged responses, and recomputes the total size.
  func removeDamaged(_ rows: [Int64]) throws {
    for row in rows { try removeRow(row) }
    try execute(
      """
      UPDATE "HTTPCache state 3" SET size = (SELECT total(size) FROM "HTTPCache responses 3")
      """)
  }

  private static var removalLimit: Int64 { 512 }

  private func lastRemoval() throws -> Int64 {
    try integer("SELECT coalesce(max(number), 0) FROM \"HTTPCache removals 3\"")
  }

  private func record(_ scope: CacheScope, _ hashKey: HashKey) throws {
    let number = try lastRemoval() + 1
    let values: [StoredValue] =
      switch scope {
      case .entry(let key):
        [.integer(0), .blob(hashKey.hash(key.url)), .blob(hashKey.hash(key.partition))]
      case .url(let url): [.integer(1), .blob(hashKey.hash(url)), .null]
      case .partition(let partition): [.integer(2), .null, .blob(hashKey.hash(partition))]
      case .credentials: [.integer(3), .null, .null]
      case .everything: [.integer(4), .null, .null]
      }
    try execute(
      "INSERT INTO \"HTTPCache removals 3\" VALUES (?1, ?2, ?3, ?4)", [.integer(number)] + values)
    try execute(
      "DELETE FROM \"HTTPCache removals 3\" WHERE number <= ?1",
      [.integer(number - Self.removalLimit)])
  }

  /// Whether a key was removed since a mark, or may have been.
  func isRemoved(
    _ key: HashedCacheKey, since mark: RemovalMark, _ hashKey: HashKey
  ) throws -> Bool {
    let last = try lastRemoval()
    guard mark.history == hashKey.history, (last - Self.removalLimit...last).contains(mark.number)
    else { return true }
    guard mark.number < last else { return false }
    return try hasRow(
      in: """
        "HTTPCache removals 3" WHERE number > ?1 AND (
          kind = 0 AND url = ?2 AND partition = ?3 OR kind = 1 AND url = ?2
          OR kind = 2 AND partition = ?3 OR kind = 3 AND ?3 <> x'' OR kind = 4)
        """, [.integer(mark.number), .blob(key.url), .blob(key.partition)])
  }

  func removeRow(_ id: Int64) throws { try removeRows("id = ?1", [.integer(id)]) }

  /// Removes the rows that match a condition with values, and subtracts their size.
  func removeRows(_ condition: String, _ values: [StoredValue] = []) throws {
    let size = try integer(
      "SELECT total(size) FROM \"HTTPCache responses 3\" WHERE \(condition)", values)
    guard size > 0 else { return }
    try execute("DELETE FROM \"HTTPCache responses 3\" WHERE \(condition)", values)
    try addToSize(-size)
  }

  func addToSize(_ change: Int64) throws {
    try execute("UPDATE \"HTTPCache state 3\" SET size = size + ?1", [.integer(change)])
  }
}
