internal import Foundation
internal import ResourceCache
internal import ResourceLoading

/// Writing responses, in a transaction that is under way.
extension Connection {
  /// What was used: rows that were read, and keys whose responses were had from elsewhere.
  struct Uses: Sendable {
    let rows: Set<Int64>
    let keys: Set<CacheKey>
  }

  /// Stores a response in the place of its variant, and gives up what was used least recently if there are more
  /// bytes than there may be.
  ///
  /// - Parameters:
  ///   - mark: Nothing is stored if something of the key was removed since.
  ///   - uses: What was used since the last write.
  ///   - maximumSize: How many bytes of responses there may be.
  func store(
    _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark, _ uses: Uses,
    maximumSize: Int
  ) throws {
    let secret = try responseSecret()
    let key = HashedKey(key, secret)
    guard try !isRemoved(key, since: mark, secret) else { return }
    let now = try nextUse()
    try note(uses, usedAt: now, secret)
    let places = ResponsePlaces(key)
    try remove("\(ResponsePlaces.condition) AND variant = ?5") {
      try places.bind(to: $0)
      try $0.bind(response.variant, at: 5)
    }
    let size = response.size(under: key.plain)
    guard size <= maximumSize, response.isWritable(under: key.plain) else { return }
    try insert(response, key, at: try makePlace(among: places), size: size, now + 1)
    try addToSize(Int64(size))
    try makeRoom(maximumSize)
  }

  /// Removes responses that turned out to be damaged, and counts the size of the others anew.
  func removeDamaged(_ rows: [Int64]) throws {
    for row in rows { try removeResponse(row) }
    try execute(
      """
      UPDATE "HTTPCache state 3" SET size = (SELECT total(size) FROM "HTTPCache responses 3")
      """)
  }

  private func removeResponse(_ id: Int64) throws {
    try remove("id = ?1") { try $0.bind(id, at: 1) }
  }
}

/// Removals, and the memory of them that all processes have in common.
extension Connection {
  /// The present moment in the history of removals.
  func removalMark() throws -> RemovalMark {
    RemovalMark(history: try responseSecret().history, number: try lastRemoval())
  }

  /// Removes responses, and takes note of it.
  func removeResponses(_ scope: CacheScope) throws {
    let secret = try responseSecret()
    try note(scope, secret)
    switch scope {
    case .entry(let key):
      try remove(ResponsePlaces.condition, ResponsePlaces(HashedKey(key, secret)).bind)
    case .url(let url):
      try remove(
        ResponsePlaces.conditionOfURL, ResponsePlaces(everybodysOf: secret.hash(url)).bind)
    case .partition(let partition):
      try remove("partition = ?1") { try $0.bind(secret.hash(partition), at: 1) }
    case .credentials: try remove("partition <> x''")
    case .everything: try remove("true")
    }
  }

  /// How many removals the file remembers.
  private static var removalLimit: Int64 { 512 }

  private func lastRemoval() throws -> Int64 {
    try integer("SELECT coalesce(max(number), 0) FROM \"HTTPCache removals 3\"")
  }

  private func note(_ scope: CacheScope, _ secret: ResponseSecret) throws {
    let number = try lastRemoval() + 1
    let values: [StoredValue] =
      switch scope {
      case .entry(let key):
        [.integer(0), .blob(secret.hash(key.url)), .blob(secret.hash(key.partition))]
      case .url(let url): [.integer(1), .blob(secret.hash(url)), .null]
      case .partition(let partition): [.integer(2), .null, .blob(secret.hash(partition))]
      case .credentials: [.integer(3), .null, .null]
      case .everything: [.integer(4), .null, .null]
      }
    let insert = try statement("INSERT INTO \"HTTPCache removals 3\" VALUES (?1, ?2, ?3, ?4)")
    for (index, value) in ([.integer(number)] + values).enumerated() {
      try insert.bind(value, at: Int32(index + 1))
    }
    _ = try run(insert)
    let forget = try statement("DELETE FROM \"HTTPCache removals 3\" WHERE number <= ?1")
    try forget.bind(number - Self.removalLimit, at: 1)
    _ = try run(forget)
  }

  /// Whether something of a key was removed since a moment, or may have been.
  private func isRemoved(
    _ key: HashedKey, since mark: RemovalMark, _ secret: ResponseSecret
  ) throws -> Bool {
    let last = try lastRemoval()
    guard mark.history == secret.history, (last - Self.removalLimit...last).contains(mark.number)
    else { return true }
    guard mark.number < last else { return false }
    let select = try statement(
      """
      SELECT count(*) FROM "HTTPCache removals 3" WHERE number > ?1 AND (
        kind = 0 AND url = ?2 AND partition = ?3 OR kind = 1 AND url = ?2
        OR kind = 2 AND partition = ?3 OR kind = 3 AND ?3 <> x'' OR kind = 4)
      """)
    try select.bind(mark.number, at: 1)
    try select.bind(key.url, at: 2)
    try select.bind(key.partition, at: 3)
    return try firstInteger(of: select) > 0
  }

  /// Removes rows, and what they took of the size.
  ///
  /// - Parameters:
  ///   - condition: Which, with positions for values.
  ///   - bind: Binds the values.
  private func remove(
    _ condition: String, _ bind: (Statement) throws -> Void = { _ in }
  ) throws {
    let sum = try statement(
      "SELECT total(size) FROM \"HTTPCache responses 3\" WHERE \(condition)")
    try bind(sum)
    let size = try firstInteger(of: sum)
    guard size > 0 else { return }
    let delete = try statement("DELETE FROM \"HTTPCache responses 3\" WHERE \(condition)")
    try bind(delete)
    _ = try run(delete)
    try addToSize(-size)
  }

  private func firstInteger(of statement: Statement) throws -> Int64 {
    defer { statement.reset() }
    return try statement.step() ? statement.integer(at: 0) : 0
  }

  private func addToSize(_ change: Int64) throws {
    let update = try statement("UPDATE \"HTTPCache state 3\" SET size = size + ?1")
    try update.bind(change, at: 1)
    _ = try run(update)
  }
}

/// Inserting, and making room for it.
extension Connection {
  private func insert(
    _ response: StoredResponse, _ key: HashedKey, at place: (id: Int64, isAlone: Bool), size: Int,
    _ use: Int64
  ) throws {
    let insert = try statement(
      """
      INSERT INTO "HTTPCache responses 3" (id, url, partition, variant, status, responseURL,
        headers, selecting, asked, arrived, redirected, checksum, size, used, alone, body)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
      """)
    let fields = ResponseFields(response, for: key.plain)
    let values: [StoredValue] = [
      .integer(place.id), .blob(key.url), .blob(key.partition), .text(fields.variant),
      .integer(fields.status), .text(fields.url), .text(fields.headers), .text(fields.selecting),
      .real(fields.asked), .real(fields.arrived), .integer(fields.redirected),
      .integer(fields.checksum(for: key.plain)), .integer(Int64(size)), .integer(use),
      .integer(place.isAlone ? 1 : 0), .blob(fields.body),
    ]
    for (index, value) in values.enumerated() { try insert.bind(value, at: Int32(index + 1)) }
    defer { insert.clear() }
    _ = try run(insert)
  }

  /// Finds a place for one more variant: the first that is free, or else that of the one that was used least
  /// recently.
  ///
  /// - Returns: The number of the row, and whether there is none beside it.
  private func makePlace(among places: ResponsePlaces) throws -> (id: Int64, isAlone: Bool) {
    let taken = try uses(at: places)
    guard !taken.isEmpty else { return (places.ids.lowerBound, true) }
    let update = try statement(
      "UPDATE \"HTTPCache responses 3\" SET alone = 0 WHERE id BETWEEN ?1 AND ?2 AND alone")
    try update.bind(places.ids.lowerBound, at: 1)
    try update.bind(places.ids.upperBound, at: 2)
    _ = try run(update)
    if let free = places.ids.first(where: { taken[$0] == nil }) { return (free, false) }
    let oldest = taken.min { $0.value < $1.value }?.key ?? places.ids.lowerBound
    try removeResponse(oldest)
    return (oldest, false)
  }

  /// The rows at some places, and when they were used.
  private func uses(at places: ResponsePlaces) throws -> [Int64: Int64] {
    let select = try statement(
      "SELECT id, used FROM \"HTTPCache responses 3\" WHERE id BETWEEN ?1 AND ?2")
    try select.bind(places.ids.lowerBound, at: 1)
    try select.bind(places.ids.upperBound, at: 2)
    defer { select.reset() }
    var uses: [Int64: Int64] = [:]
    while try select.step() { uses[select.integer(at: 0)] = select.integer(at: 1) }
    return uses
  }

  /// Removes what was used least recently, until there is a little room again.
  private func makeRoom(_ maximumSize: Int) throws {
    let excess = try integer("SELECT size FROM \"HTTPCache state 3\"") - Int64(maximumSize)
    guard excess > 0 else { return }
    // A tenth more at once, so that not every response has to make room.
    for row in try leastRecent(excess + Int64(maximumSize / 10)) { try removeResponse(row) }
  }

  /// The rows that were used longest ago, as many as it takes to have a size together, but not the last one.
  private func leastRecent(_ size: Int64) throws -> [Int64] {
    let select = try statement(
      """
      SELECT id, size FROM "HTTPCache responses 3"
      WHERE used < (SELECT max(used) FROM "HTTPCache responses 3") ORDER BY used
      """)
    defer { select.reset() }
    var (rows, found) = ([Int64](), Int64(0))
    while found < size, try select.step() {
      rows.append(select.integer(at: 0))
      found += select.integer(at: 1)
    }
    return rows
  }

  /// A number that is higher than those of all uses so far.
  private func nextUse() throws -> Int64 {
    try integer("SELECT coalesce(max(used), 0) + 1 FROM \"HTTPCache responses 3\"")
  }

  /// Makes what was used the last that would be given up.
  private func note(_ uses: Uses, usedAt use: Int64, _ secret: ResponseSecret) throws {
    for row in uses.rows {
      let update = try statement("UPDATE \"HTTPCache responses 3\" SET used = ?1 WHERE id = ?2")
      try update.bind(use, at: 1)
      try update.bind(row, at: 2)
      _ = try run(update)
    }
    for key in uses.keys {
      let update = try statement(
        "UPDATE \"HTTPCache responses 3\" SET used = ?5 WHERE \(ResponsePlaces.condition)")
      try ResponsePlaces(HashedKey(key, secret)).bind(to: update)
      try update.bind(use, at: 5)
      _ = try run(update)
    }
  }
}

extension StoredResponse {
  /// Whether a row may hold it: the form of the columns can, and no secret stands in the URL that redirects led to.
  fileprivate func isWritable(under key: CacheKey) -> Bool {
    let hasNUL = [response.headers, selectingHeaders].joined().contains {
      $0.name.rawValue.utf8.contains(0) || $0.value.utf8.contains(0)
    }
    guard !hasNUL, response.url.absoluteString != key.url else { return !hasNUL }
    let parts = URLComponents(url: response.url, resolvingAgainstBaseURL: true)
    return !(parts?.queryItems ?? []).contains { Secrets.isSecret(name: $0.name) }
  }
}
