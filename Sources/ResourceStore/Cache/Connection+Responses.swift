internal import Foundation
internal import ResourceCache
internal import ResourceLoading

// The tables of responses. Their names contain the version of their form.
extension Connection {
  /// Creates the tables if they don't exist, and removes those of the previous version, which
  /// contained secrets.
  func createResponseTables() throws {
    for table in ["HTTPCache responses 2", "HTTPCache size 2"] {
      try execute("DROP TABLE IF EXISTS \"\(table)\"")
    }
    try execute(
      """
      CREATE TABLE IF NOT EXISTS "HTTPCache responses 3" (
        id INTEGER PRIMARY KEY, url BLOB NOT NULL, partition BLOB NOT NULL, variant TEXT NOT NULL,
        status INTEGER NOT NULL, responseURL TEXT NOT NULL, headers TEXT NOT NULL,
        selecting TEXT NOT NULL, asked REAL NOT NULL, arrived REAL NOT NULL,
        redirected INTEGER NOT NULL, checksum INTEGER NOT NULL, size INTEGER NOT NULL,
        used INTEGER NOT NULL, alone INTEGER NOT NULL, body BLOB NOT NULL)
      """)
    try execute(
      """
      CREATE INDEX IF NOT EXISTS "HTTPCache uses 3" ON "HTTPCache responses 3" (used, size)
      """)
    try execute(
      """
      CREATE TABLE IF NOT EXISTS "HTTPCache removals 3" (
        number INTEGER PRIMARY KEY, kind INTEGER NOT NULL, url BLOB, partition BLOB)
      """)
    try execute(
      "CREATE TABLE IF NOT EXISTS \"HTTPCache state 3\" (secret BLOB NOT NULL, size INTEGER NOT NULL)"
    )
    try createGroupTable()
    if try storedHashKey(nil) == nil { try resetResponseTables() }
  }

  /// Creates the table of groups in a database that may already contain responses. Those whose
  /// groups were ignored so far are removed.
  private func createGroupTable() throws {
    guard try !hasRow(in: "sqlite_schema WHERE name = 'HTTPCache groups 3'") else { return }
    try execute(
      """
      CREATE TABLE "HTTPCache groups 3" (
        name BLOB NOT NULL, response INTEGER NOT NULL, PRIMARY KEY (name, response)) WITHOUT ROWID
      """)
    try execute("CREATE INDEX \"HTTPCache grouped 3\" ON \"HTTPCache groups 3\" (response)")
    // For earlier versions of this library, too, which know nothing of groups.
    try execute(
      """
      CREATE TRIGGER "HTTPCache removal 3" AFTER DELETE ON "HTTPCache responses 3" BEGIN
        DELETE FROM "HTTPCache groups 3" WHERE response = old.id;
      END
      """)
    try removeRows("headers LIKE '%cache-groups%'")
  }

  /// Removes all responses, and creates a new key for hashes.
  private func resetResponseTables() throws {
    for table in ["responses", "removals", "state"] {
      try execute("DELETE FROM \"HTTPCache \(table) 3\"")
    }
    try execute("INSERT INTO \"HTTPCache state 3\" VALUES (?1, 0)", [.blob(HashKey().stored)])
  }

  private func storedHashKey(_ expected: HashKey?) throws -> HashKey? {
    let stored = try rows("SELECT secret FROM \"HTTPCache state 3\"") { $0.blob(at: 0) }.first
    return stored.flatMap { $0 == expected?.stored ? expected : HashKey($0) }
  }

  /// Reads the key of this database's hashes, which needn't be computed again if it is still
  /// `expected`.
  func responseHashKey(expecting expected: HashKey? = nil) throws -> HashKey {
    guard let key = try storedHashKey(expected) else {
      throw LoadError(sqlite: .corrupt, of: name, doing: "read the cache's key")
    }
    return key
  }
}

extension Connection {
  /// The rows of a key that were found.
  struct FoundResponses: Sendable {
    var responses: [StoredResponse] = []
    var damagedRows: [Int64] = []
  }

  /// Reads the variants of a key; `nil` if a response has more than `maximumSize` bytes.
  func responses(
    for key: HashedCacheKey, upTo maximumSize: Int64 = .max
  ) throws -> FoundResponses? {
    let rows = key.rows
    let select = try statement(
      "SELECT \(ResponseRow.columns) FROM \"HTTPCache responses 3\" WHERE \(rows.condition)")
    try select.bind(rows.values)
    defer { select.reset() }
    var found = FoundResponses()
    while try select.step() {
      guard select.integer(at: 2) <= maximumSize else { return nil }
      if let response = ResponseRow(select).response(for: key.plain) {
        found.responses.append(response)
      } else {
        found.damagedRows.append(select.integer(at: 0))
      }
      // Stepping on after the only variant would often read another page.
      if select.integer(at: 1) == 1 { break }
    }
    return found
  }
}

// Storing, in an open transaction.
extension Connection {
  /// Stores a response in the place of its variant, and evicts the least recently used responses if
  /// there is no room. Nothing is stored if the key was removed since `mark`.
  func store(
    _ response: StoredResponse, for key: CacheKey, since mark: RemovalMark, _ uses: Set<CacheKey>,
    expecting expected: HashKey, maximumSize: Int
  ) throws {
    let hashKey = try responseHashKey(expecting: expected)
    let key = HashedCacheKey(key, hashKey)
    let groups = Set(response.groups.map { hashKey.hash($0.text) })
    guard try !isRemoved(key, groups, since: mark, hashKey), try !isOutdated(response, key) else {
      return
    }
    let use = try count("SELECT coalesce(max(used), 0) + 1 FROM \"HTTPCache responses 3\"")
    try note(uses, as: use, hashKey)
    let rows = key.rows
    try removeRows("\(rows.condition) AND variant = ?5", rows.values + [.text(response.variant)])
    let size = response.size(under: key.plain)
    guard size <= maximumSize, response.isWritable(under: key.plain) else { return }
    try insert(response, key, groups, size: size, use: use + 1)
    try addToSize(Int64(size))
    try evict(maximumSize)
  }

  /// Whether a newer response of the same variant is stored.
  private func isOutdated(_ response: StoredResponse, _ key: HashedCacheKey) throws -> Bool {
    let new = ResponseTimes(
      response.response.headers, requestDate: response.requestDate,
      responseDate: response.responseDate)
    let stored = try rows(
      """
      SELECT headers, asked, arrived FROM "HTTPCache responses 3"
      WHERE \(key.rows.condition) AND variant = ?5
      """, key.rows.values + [.text(response.variant)]
    ) { ResponseTimes($0) }
    return stored.contains { new.isOutdated(by: $0) }
  }

  private func insert(
    _ response: StoredResponse, _ key: HashedCacheKey, _ groups: Set<Data>, size: Int, use: Int64
  ) throws {
    let (id, isAlone) = try rowID(in: key.rows.range)
    let row = ResponseRow(response, for: key.plain)
    try execute(
      """
      INSERT INTO "HTTPCache responses 3" (id, url, partition, variant, status, responseURL,
        headers, selecting, asked, arrived, redirected, checksum, size, used, alone, body)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
      """,
      [
        .integer(id), .blob(key.url), .blob(key.place), .text(row.variant),
        .integer(row.status), .text(row.url), .text(row.headers), .text(row.selecting),
        .real(row.requested), .real(row.received), .integer(row.redirected),
        .integer(row.checksum(for: key.plain)), .integer(Int64(size)), .integer(use),
        .bool(isAlone), .blob(row.body),
      ])
    for group in groups {
      try execute(
        "INSERT INTO \"HTTPCache groups 3\" VALUES (?1, ?2)", [.blob(group), .integer(id)])
    }
  }

  /// Returns a row for another variant, and whether it is the only row in the range: the first free
  /// row, or otherwise that of the least recently used variant.
  private func rowID(in range: ClosedRange<Int64>) throws -> (id: Int64, isAlone: Bool) {
    let taken = try uses(of: range)
    guard !taken.isEmpty else { return (range.lowerBound, true) }
    try execute(
      "UPDATE \"HTTPCache responses 3\" SET alone = 0 WHERE id BETWEEN ?1 AND ?2 AND alone",
      [.integer(range.lowerBound), .integer(range.upperBound)])
    if let free = range.first(where: { taken[$0] == nil }) { return (free, false) }
    let oldest = taken.min { $0.value < $1.value }?.key ?? range.lowerBound
    try removeRow(oldest)
    return (oldest, false)
  }

  /// The rows in a range, and when they were used.
  private func uses(of range: ClosedRange<Int64>) throws -> [Int64: Int64] {
    let uses = try rows(
      "SELECT id, used FROM \"HTTPCache responses 3\" WHERE id BETWEEN ?1 AND ?2",
      [.integer(range.lowerBound), .integer(range.upperBound)]
    ) { ($0.integer(at: 0), $0.integer(at: 1)) }
    return Dictionary(uniqueKeysWithValues: uses)
  }

  /// Marks responses as used, so that they are evicted last.
  private func note(_ uses: Set<CacheKey>, as use: Int64, _ hashKey: HashKey) throws {
    for key in uses {
      let rows = HashedCacheKey(key, hashKey).rows
      try execute(
        "UPDATE \"HTTPCache responses 3\" SET used = ?5 WHERE \(rows.condition)",
        rows.values + [.integer(use)])
    }
  }

  /// Removes the least recently used responses if there are too many bytes.
  private func evict(_ maximumSize: Int) throws {
    let (size, maximum) = (try totalSize(), Int64(maximumSize))
    guard size > maximum else { return }
    // A tenth more, so that not every store evicts.
    for row in try leastRecentRows(size: size - maximum + maximum / 10) { try removeRow(row) }
  }

  /// The bytes of all responses, which are added up again if their number is damaged.
  private func totalSize() throws -> Int64 {
    let text = "SELECT size FROM \"HTTPCache state 3\""
    let size = try integer(text)
    guard size < 0 else { return size }
    try addUpSizes()
    return try integer(text)
  }

  /// The least recently used rows that together have a size, except for the last one.
  private func leastRecentRows(size: Int64) throws -> [Int64] {
    let select = try statement(
      """
      SELECT id, size FROM "HTTPCache responses 3"
      WHERE used < (SELECT max(used) FROM "HTTPCache responses 3") ORDER BY used
      """)
    defer { select.reset() }
    var (rows, found) = ([Int64](), Int64(0))
    while found < size, try select.step() {
      rows.append(select.integer(at: 0))
      // A damaged size must not overflow.
      found &+= select.integer(at: 1)
    }
    return rows
  }
}
