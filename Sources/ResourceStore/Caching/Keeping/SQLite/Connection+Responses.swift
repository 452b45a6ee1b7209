internal import Foundation
internal import ResourceLoading

/// Responses in rows. The names of the tables tell the version of their form.
extension Connection {
  /// A response and the number of its row.
  struct ResponseRow: Sendable {
    let id: Int64
    let response: StoredResponse
  }

  /// Makes the tables where they aren't there yet.
  func createResponseTables() throws {
    try execute(
      """
      CREATE TABLE IF NOT EXISTS "HTTPCache responses 1" (
        id INTEGER PRIMARY KEY, url TEXT NOT NULL, partition TEXT NOT NULL, variant TEXT NOT NULL,
        status INTEGER NOT NULL, responseURL TEXT NOT NULL, headers TEXT NOT NULL,
        selecting TEXT NOT NULL, asked REAL NOT NULL, arrived REAL NOT NULL,
        redirected INTEGER NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL,
        body BLOB NOT NULL)
      """)
    try execute(
      """
      CREATE UNIQUE INDEX IF NOT EXISTS "HTTPCache keys 1"
      ON "HTTPCache responses 1" (url, partition, variant)
      """)
    try execute(
      """
      CREATE INDEX IF NOT EXISTS "HTTPCache uses 1" ON "HTTPCache responses 1" (used, size)
      """)
    try execute("CREATE TABLE IF NOT EXISTS \"HTTPCache size 1\" (size INTEGER NOT NULL)")
    try execute(
      """
      INSERT INTO "HTTPCache size 1"
      SELECT 0 WHERE NOT EXISTS (SELECT * FROM "HTTPCache size 1")
      """)
  }

  /// The variants under a key, those first that were used last.
  func responses(for key: CacheKey) throws -> [ResponseRow] {
    let select = try statement(
      """
      SELECT id, status, responseURL, headers, selecting, asked, arrived, redirected, body
      FROM "HTTPCache responses 1" WHERE url = ?1 AND partition = ?2 ORDER BY used DESC LIMIT 32
      """)
    try select.bind(key.url, at: 1)
    try select.bind(key.partition.name, at: 2)
    defer { select.reset() }
    var rows: [ResponseRow] = []
    while try select.step() {
      if let response = StoredResponse(row: select) {
        rows.append(ResponseRow(id: select.integer(at: 0), response: response))
      }
    }
    return rows
  }
}

extension StoredResponse {
  /// The response of the row that a statement stands at; `nil` if it doesn't hold one.
  fileprivate init?(row: Statement) {
    guard let url = URL(string: row.text(at: 2)), let headers = Headers(stored: row.text(at: 3)),
      let selecting = Headers(stored: row.text(at: 4))
    else { return nil }
    self.init(
      Response(
        url: url, status: Status(rawValue: Int(row.integer(at: 1))), headers: headers,
        body: row.blob(at: 8)),
      selectingHeaders: selecting,
      requestDate: Date(timeIntervalSinceReferenceDate: row.real(at: 5)),
      responseDate: Date(timeIntervalSinceReferenceDate: row.real(at: 6)),
      wasRedirected: row.integer(at: 7) == 1)
  }
}
