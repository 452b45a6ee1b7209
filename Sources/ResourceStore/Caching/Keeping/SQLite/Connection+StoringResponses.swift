internal import Foundation
internal import ResourceLoading

/// Writing responses, in a transaction that is under way.
extension Connection {
  /// Stores a response in the place of its variant, and gives up what was used least recently if there are more
  /// bytes than there may be.
  ///
  /// - Parameters:
  ///   - uses: What was used since the last write.
  ///   - maximumSize: How many bytes of responses there may be.
  func store(
    _ response: StoredResponse, for key: CacheKey, _ uses: Uses, maximumSize: Int
  ) throws {
    let now = try nextUse()
    try mark(uses, usedAt: now)
    let places = ResponsePlaces(key)
    try remove("\(ResponsePlaces.condition) AND variant = ?5") {
      try places.bind(to: $0)
      try $0.bind(response.variant, at: 5)
    }
    let size = response.size(under: key)
    guard size <= maximumSize, response.isWritable else { return }
    try insert(response, key, at: try makePlace(among: places), size: size, now + 1)
    try addToSize(Int64(size))
    try makeRoom(maximumSize)
  }

  /// Removes responses.
  func removeResponses(_ scope: CacheScope) throws {
    switch scope {
    case .entry(let key): try remove(ResponsePlaces.condition, ResponsePlaces(key).bind)
    case .url(let url):
      try remove(ResponsePlaces.conditionOfURL, ResponsePlaces(everybodysOf: url).bind)
    case .partition(let partition):
      try remove("partition = ?1") { try $0.bind(partition.name, at: 1) }
    case .credentials: try remove("partition <> ''")
    case .everything: try remove("true")
    }
  }
}

extension Connection {
  /// Removes the response of a row.
  func removeResponse(_ id: Int64) throws {
    try remove("id = ?1") { try $0.bind(id, at: 1) }
  }

  /// A number that is higher than those of all uses so far.
  private func nextUse() throws -> Int64 {
    try integer("SELECT coalesce(max(used), 0) + 1 FROM \"HTTPCache responses 2\"")
  }

  private func insert(
    _ response: StoredResponse, _ key: CacheKey, at place: (id: Int64, isAlone: Bool), size: Int,
    _ use: Int64
  ) throws {
    let insert = try statement(
      """
      INSERT INTO "HTTPCache responses 2" (id, url, partition, variant, status, responseURL,
        headers, selecting, asked, arrived, redirected, size, used, alone, body)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
      """)
    let values: [StoredValue] = [
      .integer(place.id), .text(key.url), .text(key.partition.name), .text(response.variant),
      .integer(Int64(response.response.status.rawValue)),
      .text(response.response.url.absoluteString), .text(response.response.headers.stored),
      .text(response.selectingHeaders.stored),
      .real(response.requestDate.timeIntervalSinceReferenceDate),
      .real(response.responseDate.timeIntervalSinceReferenceDate),
      .integer(response.wasRedirected ? 1 : 0), .integer(Int64(size)), .integer(use),
      .integer(place.isAlone ? 1 : 0), .blob(response.response.body),
    ]
    for (index, value) in values.enumerated() { try insert.bind(value, at: Int32(index + 1)) }
    defer { insert.clear() }
    _ = try run(insert)
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
      "SELECT total(size) FROM \"HTTPCache responses 2\" WHERE \(condition)")
    try bind(sum)
    let size = try firstInteger(of: sum)
    guard size > 0 else { return }
    let delete = try statement("DELETE FROM \"HTTPCache responses 2\" WHERE \(condition)")
    try bind(delete)
    _ = try run(delete)
    try addToSize(-size)
  }

  private func firstInteger(of statement: Statement) throws -> Int64 {
    defer { statement.reset() }
    return try statement.step() ? statement.integer(at: 0) : 0
  }

  private func addToSize(_ change: Int64) throws {
    let update = try statement("UPDATE \"HTTPCache size 2\" SET size = size + ?1")
    try update.bind(change, at: 1)
    _ = try run(update)
  }

  /// Removes what was used least recently, until there is a little room again.
  private func makeRoom(_ maximumSize: Int) throws {
    let excess = try integer("SELECT size FROM \"HTTPCache size 2\"") - Int64(maximumSize)
    guard excess > 0 else { return }
    // A tenth more at once, so that not every response has to make room.
    for row in try leastRecent(excess + Int64(maximumSize / 10)) {
      try removeResponse(row)
    }
  }

  /// The rows that were used longest ago, as many as it takes to have a size together, but not the last one.
  private func leastRecent(_ size: Int64) throws -> [Int64] {
    let select = try statement(
      """
      SELECT id, size FROM "HTTPCache responses 2"
      WHERE used < (SELECT max(used) FROM "HTTPCache responses 2") ORDER BY used
      """)
    defer { select.reset() }
    var (rows, found) = ([Int64](), Int64(0))
    while found < size, try select.step() {
      rows.append(select.integer(at: 0))
      found += select.integer(at: 1)
    }
    return rows
  }
}

extension StoredResponse {
  /// Whether the form of the columns can hold it.
  fileprivate var isWritable: Bool {
    ![response.headers, selectingHeaders].joined().contains {
      $0.name.rawValue.utf8.contains(0) || $0.value.utf8.contains(0)
    }
  }
}
