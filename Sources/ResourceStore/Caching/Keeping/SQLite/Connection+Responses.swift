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
      CREATE TABLE IF NOT EXISTS "HTTPCache responses 2" (
        id INTEGER PRIMARY KEY, url TEXT NOT NULL, partition TEXT NOT NULL, variant TEXT NOT NULL,
        status INTEGER NOT NULL, responseURL TEXT NOT NULL, headers TEXT NOT NULL,
        selecting TEXT NOT NULL, asked REAL NOT NULL, arrived REAL NOT NULL,
        redirected INTEGER NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL,
        alone INTEGER NOT NULL, body BLOB NOT NULL)
      """)
    try execute(
      """
      CREATE INDEX IF NOT EXISTS "HTTPCache uses 2" ON "HTTPCache responses 2" (used, size)
      """)
    try execute("CREATE TABLE IF NOT EXISTS \"HTTPCache size 2\" (size INTEGER NOT NULL)")
    try execute(
      """
      INSERT INTO "HTTPCache size 2"
      SELECT 0 WHERE NOT EXISTS (SELECT * FROM "HTTPCache size 2")
      """)
  }

  /// The variants under a key.
  func responses(for key: CacheKey) throws -> [ResponseRow] {
    let select = try statement(
      """
      SELECT id, status, responseURL, headers, selecting, asked, arrived, redirected, body,
        alone
      FROM "HTTPCache responses 2" WHERE \(ResponsePlaces.condition)
      """)
    try ResponsePlaces(key).bind(to: select)
    defer { select.reset() }
    var rows: [ResponseRow] = []
    while try select.step() {
      if let response = StoredResponse(row: select) {
        rows.append(ResponseRow(id: select.integer(at: 0), response: response))
      }
      // To see that none follows would often take another page.
      if select.integer(at: 9) == 1 { break }
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
