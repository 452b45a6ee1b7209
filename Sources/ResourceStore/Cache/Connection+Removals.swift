internal import Foundation
internal import ResourceCache
internal import ResourceLoading

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
    case .groups(let groups):
      for group in groups { try removeGroup(hashKey.hash(group.text)) }
    case .partition(let partition):
      let partition = hashKey.hash(partition)
      try removeRows(
        HashedCacheKey.condition(ofAll: partition), HashedCacheKey.values(ofAll: partition))
    case .credentials: try removeRows(HashedCacheKey.conditionOfCredentials)
    case .everything: try removeRows("true")
    }
  }

  /// Removes damaged responses, and recomputes the total size.
  func removeDamaged(_ rows: [Int64]) throws {
    for row in rows { try removeRow(row) }
    try addUpSizes()
  }

  /// Computes the total size again.
  func addUpSizes() throws {
    try execute(
      """
      UPDATE "HTTPCache state 3" SET size = (SELECT total(size) FROM "HTTPCache responses 3")
      """)
  }

  private static var removalLimit: Int64 { 512 }

  private func lastRemoval() throws -> Int64 {
    try count("SELECT coalesce(max(number), 0) FROM \"HTTPCache removals 3\"")
  }

  /// Returns a number that these tables count up. One that can't have been counted is damaged, and
  /// counting on from it would overflow.
  func count(_ text: String) throws -> Int64 {
    let count = try integer(text)
    guard (0..<1 << 62).contains(count) else {
      throw LoadError(sqlite: .corrupt, of: name, doing: "run \(text)")
    }
    return count
  }

  private func record(_ scope: CacheScope, _ hashKey: HashKey) throws {
    switch scope {
    case .entry(let key):
      let key = HashedCacheKey(key, hashKey)
      try record([.integer(0), .blob(key.url), .blob(key.place)])
    case .url(let url): try record([.integer(1), .blob(hashKey.hash(url)), .null])
    case .partition(let partition):
      try record([.integer(2), .null, .blob(hashKey.hash(partition))])
    case .credentials: try record([.integer(3), .null, .null])
    case .everything: try record([.integer(4), .null, .null])
    // The column of URLs contains the hash of the group.
    case .groups(let groups):
      for group in groups { try record([.integer(5), .blob(hashKey.hash(group.text)), .null]) }
    }
  }

  private func record(_ values: [StoredValue]) throws {
    let number = try lastRemoval() + 1
    try execute(
      "INSERT INTO \"HTTPCache removals 3\" VALUES (?1, ?2, ?3, ?4)", [.integer(number)] + values)
    try execute(
      "DELETE FROM \"HTTPCache removals 3\" WHERE number <= ?1",
      [.integer(number - Self.removalLimit)])
  }

  /// Whether a response of a key with the hashes of its groups was removed since a mark, or may have
  /// been.
  func isRemoved(
    _ key: HashedCacheKey, _ groups: Set<Data>, since mark: RemovalMark, _ hashKey: HashKey
  ) throws -> Bool {
    let last = try lastRemoval()
    guard mark.history == hashKey.history, (last - Self.removalLimit...last).contains(mark.number)
    else { return true }
    guard mark.number < last else { return false }
    if try !groups.isEmpty && !groups.isDisjoint(with: removedGroups(since: mark)) { return true }
    return try hasRow(
      in: """
        "HTTPCache removals 3" WHERE number > ?1 AND (
          kind = 0 AND url = ?2 AND partition = ?4 OR kind = 1 AND url = ?2
          OR kind = 2 AND partition = ?3 OR kind = 3 AND ?3 <> x'' OR kind = 4)
        """, [.integer(mark.number), .blob(key.url), .blob(key.partition), .blob(key.place)])
  }

  private func removedGroups(since mark: RemovalMark) throws -> [Data] {
    try rows(
      "SELECT url FROM \"HTTPCache removals 3\" WHERE number > ?1 AND kind = 5",
      [.integer(mark.number)]
    ) { $0.blob(at: 0) }
  }

  private func removeGroup(_ group: Data) throws {
    try removeRows(
      "id IN (SELECT response FROM \"HTTPCache groups 3\" WHERE name = ?1)", [.blob(group)])
  }

  func removeRow(_ id: Int64) throws { try removeRows("id = ?1", [.integer(id)]) }

  /// Removes the rows that match a condition with values, and subtracts their size.
  func removeRows(_ condition: String, _ values: [StoredValue] = []) throws {
    // Less than zero if the size of a row is damaged, and zero if there is no row.
    let size = try integer(
      """
      SELECT CASE WHEN total(size) > 0 THEN total(size) ELSE -count(*) END
      FROM "HTTPCache responses 3" WHERE \(condition)
      """, values)
    guard size != 0 else { return }
    try execute("DELETE FROM \"HTTPCache responses 3\" WHERE \(condition)", values)
    if size > 0 { try addToSize(-size) } else { try addUpSizes() }
  }

  func addToSize(_ change: Int64) throws {
    try execute("UPDATE \"HTTPCache state 3\" SET size = size + ?1", [.integer(change)])
  }
}
