internal import Foundation
internal import ResourceCache
internal import ResourceLoading

/// Responses in rows. The names of the tables tell the version of their form.
extension Connection {
  /// A row, and the response in it; `nil` if it was damaged.
  struct ResponseRow: Sendable {
    let id: Int64
    let response: StoredResponse?
  }

  /// Makes the tables where they aren't there yet, and removes those of the form before, which held secrets.
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
    if try keptSecret() == nil { try beginAnew() }
  }

  /// Removes all responses, and makes a new key for hashes.
  private func beginAnew() throws {
    for table in ["responses", "removals", "state"] {
      try execute("DELETE FROM \"HTTPCache \(table) 3\"")
    }
    let insert = try statement("INSERT INTO \"HTTPCache state 3\" VALUES (?1, 0)")
    try insert.bind(ResponseSecret().kept, at: 1)
    _ = try run(insert)
  }

  private func keptSecret() throws -> ResponseSecret? {
    let select = try statement("SELECT secret FROM \"HTTPCache state 3\"")
    defer { select.reset() }
    return try select.step() ? ResponseSecret(select.blob(at: 0)) : nil
  }

  /// The key of this database's hashes.
  ///
  /// - Throws: An error as for a damaged file if it can't be read.
  func responseSecret() throws -> ResponseSecret {
    guard let secret = try keptSecret() else {
      throw LoadError(sqlite: SQLiteError(11), doing: "read the cache's key")
    }
    return secret
  }

  /// The variants under a key.
  func responses(for key: CacheKey) throws -> [ResponseRow] {
    let select = try statement(
      """
      SELECT id, status, responseURL, headers, selecting, asked, arrived, redirected, body,
        alone, variant, checksum
      FROM "HTTPCache responses 3" WHERE \(ResponsePlaces.condition)
      """)
    try ResponsePlaces(HashedKey(key, responseSecret())).bind(to: select)
    defer { select.reset() }
    var rows: [ResponseRow] = []
    while try select.step() {
      rows.append(
        ResponseRow(id: select.integer(at: 0), response: ResponseFields(row: select).read(key)))
      // To see that none follows would often take another page.
      if select.integer(at: 9) == 1 { break }
    }
    return rows
  }
}

/// A response as the columns of a row hold it.
struct ResponseFields: Sendable {
  let variant: String
  let status: Int64
  /// Empty where it is that of the key.
  let url: String
  let headers: String
  let selecting: String
  let asked: Double
  let arrived: Double
  let redirected: Int64
  let body: Data
  /// What is kept as the checksum; `nil` before it is kept.
  private let checksum: Int64?

  init(_ stored: StoredResponse, for key: CacheKey) {
    let url = stored.response.url.absoluteString
    (variant, self.url) = (stored.variant, url == key.url ? "" : url)
    status = Int64(stored.response.status.rawValue)
    (headers, selecting) = (stored.response.headers.stored, stored.selectingHeaders.stored)
    asked = stored.requestDate.timeIntervalSinceReferenceDate
    arrived = stored.responseDate.timeIntervalSinceReferenceDate
    (redirected, body) = (stored.wasRedirected ? 1 : 0, stored.response.body)
    checksum = nil
  }

  init(row: Statement) {
    (variant, status, url) = (row.text(at: 10), row.integer(at: 1), row.text(at: 2))
    (headers, selecting) = (row.text(at: 3), row.text(at: 4))
    (asked, arrived, redirected) = (row.real(at: 5), row.real(at: 6), row.integer(at: 7))
    (body, checksum) = (row.blob(at: 8), row.integer(at: 11))
  }

  /// A number by which one sees that all of it is as it was stored, and under this key.
  func checksum(for key: CacheKey) -> Int64 {
    var sum = Checksum()
    for text in [key.url, key.partition.name, variant, url, headers, selecting] { sum.add(text) }
    for number in [asked, arrived] { sum.add(number) }
    for number in [status, redirected] { sum.add(UInt64(bitPattern: number)) }
    sum.add(body)
    return sum.value
  }

  /// The response; `nil` if anything of it was damaged.
  func read(_ key: CacheKey) -> StoredResponse? {
    guard checksum == checksum(for: key), let url = URL(string: url.isEmpty ? key.url : url),
      let headers = Headers(stored: headers), let selecting = Headers(stored: selecting)
    else { return nil }
    return StoredResponse(
      Response(url: url, status: Status(rawValue: Int(status)), headers: headers, body: body),
      selectingHeaders: selecting, requestDate: Date(timeIntervalSinceReferenceDate: asked),
      responseDate: Date(timeIntervalSinceReferenceDate: arrived), wasRedirected: redirected == 1)
  }
}

/// Headers in one text, as a column holds them: each name and each value ends with a NUL, which neither can have.
extension Headers {
  /// The text.
  fileprivate var stored: String { map { "\($0.name.rawValue)\0\($0.value)\0" }.joined() }

  /// Reads the headers of a text; `nil` if it isn't one of headers.
  fileprivate init?(stored text: String) {
    self.init()
    var parts = text.utf8.split(separator: 0, omittingEmptySubsequences: false)
    guard parts.popLast()?.isEmpty == true, parts.count.isMultiple(of: 2) else { return nil }
    for index in stride(from: 0, to: parts.count, by: 2) {
      append(Name(rawValue: String(Substring(parts[index]))), String(Substring(parts[index + 1])))
    }
  }
}
