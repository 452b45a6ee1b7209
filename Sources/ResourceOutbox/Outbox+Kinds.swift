package import Foundation
import ResourceJSON
package import ResourceLoading
package import ResourcePrimitives
package import ResourceStore
internal import Synchronization

/// What other modules do in the transaction that removes an entry of their kind.
final class OutboxHandlers: Sendable {
  typealias Handler =
    @Sendable (OutboxEntry, OutboxOutcome, OutboxTransaction) throws -> Void

  private let handlers = Mutex<[String: Handler]>([:])

  subscript(kind: String) -> Handler? {
    get { handlers.withLock { $0[kind] } }
    set { handlers.withLock { $0[kind] = newValue } }
  }

  var kinds: [String] { handlers.withLock { $0.keys.sorted() } }
}

/// The outcome of an entry that was removed where no handler of its kind was registered. Any
/// process may have sent it.
package struct OutboxRecord: Sendable {
  /// The position in the order of removal, which is never used again.
  package let number: Int64
  package let id: OutboxEntry.ID
  package let key: OutboxKey
  package let kind: String
  package let payload: Data?
  /// The answer; `nil` if the entry was given up or dropped.
  package let answer: Response?
  package let date: Date
}

extension Outbox {
  /// The store that keeps the entries.
  package var store: SQLiteStore { storage.store }

  /// The client that sends the entries.
  package var client: Client { storage.client }

  /// The clock of the client.
  package var clock: LoadClock { storage.clock }

  /// The table of the entries, whose changes tell that there is something new.
  package var table: String { OutboxTables.entries }

  /// Calls a function in each transaction in which this process removes an entry of a kind, and
  /// begins to send those entries that wait for it. Where there is none, the outcome is kept for
  /// ``OutboxTransaction/records(ofKinds:after:)``.
  package func handle(
    _ kind: String,
    _ body: @escaping @Sendable (OutboxEntry, OutboxOutcome, OutboxTransaction) throws -> Void
  ) {
    storage.handlers[kind] = body
    sender.wake()
  }

  /// Returns the entries as an open transaction or snapshot of the store has them.
  package func transaction(on connection: ModelConnection) -> OutboxTransaction {
    OutboxTransaction(storage: storage, connection: connection)
  }

  /// Returns the entries as an open transaction has them.
  package func transaction(in transaction: ModelTransaction) -> OutboxTransaction {
    self.transaction(on: transaction.connection)
  }
}

/// What other modules do with entries in an open transaction of the store, or read in a snapshot.
/// Requests may end when the outbox has been released, so it isn't needed for this.
package struct OutboxTransaction {
  fileprivate let storage: OutboxStorage
  package let connection: ModelConnection

  init(storage: OutboxStorage, connection: ModelConnection) {
    (self.storage, self.connection) = (storage, connection)
  }

  package var models: ModelTransaction { ModelTransaction(connection) }

  /// The client that sends the entries.
  package var client: Client { storage.client }

  /// The time by the client's clock.
  package var date: Date { storage.date }

  /// The tables to read from; changes to them aren't published.
  private var tables: OutboxTables { OutboxTables(connection, of: storage, at: date) }

  private var changes: OutboxTables { storage.tables(on: connection, at: date) }
}

extension OutboxTransaction {
  /// Returns the entries of the kinds that begin with a text, in order.
  package func entries(ofKinds prefix: String) throws -> [OutboxEntry] {
    try tables.entries(
      "WHERE k.kind >= ?1 AND k.kind < ?2 ORDER BY e.number", [.text(prefix), prefix.rangeEnd])
  }

  /// Returns the entries of a key, in order.
  package func entries(of key: OutboxKey) throws -> [OutboxEntry] {
    try tables.entries(of: key, in: nil, nil)
  }

  /// Returns an entry; `nil` if it is gone.
  package func entry(_ id: OutboxEntry.ID) throws -> OutboxEntry? { try tables.entry(id) }

  /// Inserts the values of placeholders into JSON, as far as they are known.
  package func resolved(_ json: Data) throws -> Data {
    try OutboxPlaceholder.all(in: json).reduce(json) { json, placeholder in
      try tables.value(of: placeholder)?.replacing("\(placeholder)", in: json, of: .json) ?? json
    }
  }
}

extension OutboxTransaction {
  /// Stores a write.
  package func add(_ write: OutboxWrite) throws { try storage.add(write, on: connection) }

  /// Replaces an entry that isn't being sent by another write, which is sent in its place.
  package func replace(_ entry: OutboxEntry, by write: OutboxWrite) throws {
    let body = try write.request.body?.wireBody(encoder: storage.encoder)
    let prepared = try storage.prepare(write, body)
    try changes.replace(entry, by: prepared, added: entry.added)
  }

  /// Removes an entry, which counts as dropped.
  package func drop(_ entry: OutboxEntry) throws { try changes.remove(entry, .dropped) }

  /// Removes all entries of the kinds that begin with a text, also those that are being sent, whose
  /// answers are ignored then, and their outcomes.
  package func removeAll(ofKinds prefix: String) throws {
    let changes = changes
    // The last ones first, so that nothing is parked because of those before it.
    for entry in try entries(ofKinds: prefix).reversed() { try changes.remove(entry, .dropped) }
    try connection.execute(
      #"DELETE FROM "Outbox outcomes 1" WHERE kind >= ?1 AND kind < ?2"#,
      [.text(prefix), prefix.rangeEnd])
  }

  /// Stores that an entry, which isn't being sent, waits for a decision.
  package func park(_ entry: OutboxEntry, _ error: LoadError) throws {
    try changes.park(entry, error)
  }

  /// Sends an entry that isn't being sent at once, as it is.
  package func retry(_ entry: OutboxEntry) throws { try changes.retry(entry) }
}

extension OutboxTransaction {
  /// Returns the outcomes of the kinds that begin with a text, after a position, in order.
  package func records(ofKinds prefix: String, after number: Int64) throws -> [OutboxRecord] {
    try connection.rows(
      """
      SELECT number, id, key, kind, payload, answer, date FROM "Outbox outcomes 1"
      WHERE kind >= ?1 AND kind < ?2 AND number > ?3 ORDER BY number
      """, [.text(prefix), prefix.rangeEnd, .integer(number)], OutboxRecord.init
    ).compactMap(\.self)
  }

  /// Removes the outcomes of the kinds that begin with a text and that are older than a date.
  package func removeRecords(ofKinds prefix: String, before date: Date) throws {
    try connection.execute(
      #"DELETE FROM "Outbox outcomes 1" WHERE kind >= ?1 AND kind < ?2 AND date < ?3"#,
      [.text(prefix), prefix.rangeEnd, StoredValue(date)])
  }

  /// Removes an outcome that was dealt with.
  package func removeRecord(_ number: Int64) throws {
    try connection.execute(
      #"DELETE FROM "Outbox outcomes 1" WHERE number = ?1"#, [.integer(number)])
  }
}

extension OutboxTables {
  /// Calls the handler of an entry's kind, or keeps the outcome for it.
  func handle(_ entry: OutboxEntry, _ outcome: OutboxOutcome) throws {
    guard let kind = entry.kind else { return }
    if let handler = storage.handlers[kind] {
      return try handler(
        entry, outcome, OutboxTransaction(storage: storage, connection: connection))
    }
    var answer: StoredAnswer?
    if case .answered(let response) = outcome { answer = StoredAnswer(response) }
    try connection.execute(
      """
      INSERT INTO "Outbox outcomes 1" (id, key, kind, payload, answer, date)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """,
      [
        .text(entry.id.uuidString), .text(entry.key.rawValue), .text(kind),
        entry.payload.map(StoredValue.blob) ?? .null,
        try answer.map { .blob(try JSONWriter().encode($0)) } ?? .null, StoredValue(date),
      ])
  }
}

extension OutboxRecord {
  fileprivate init?(_ row: Statement) {
    guard let id = UUID(uuidString: row.text(at: 1)) else { return nil }
    self.id = id
    number = row.integer(at: 0)
    key = OutboxKey(rawValue: row.text(at: 2))
    kind = row.text(at: 3)
    payload = row.value(at: 4).isNull ? nil : row.blob(at: 4)
    let stored = row.value(at: 5).isNull ? nil : row.blob(at: 5)
    answer = stored.flatMap { try? JSONDecoder().decode(StoredAnswer.self, from: $0) }?.response
    date = Date(timeIntervalSinceReferenceDate: row.real(at: 6))
  }
}

/// What is kept of an answer: no header that may hold a secret, no query, and a location without
/// its query if that holds a credential.
private struct StoredAnswer: Codable {
  var url: URL
  var method: String
  var status: Int
  var headers: [[String]]
  var body: Data

  private static let kept: [Headers.Name] = [.contentType, .eTag, .lastModified, .location]

  init(_ response: Response) {
    url = response.url.deletingQuery
    method = response.method.rawValue
    status = response.status.rawValue
    headers = response.headers.filter { Self.kept.contains($0.name) }
      .map { [$0.name.rawValue, Self.withoutCredential($0)] }
    body = response.body
  }

  private static func withoutCredential(_ field: Headers.Field) -> String {
    guard field.name == .location, SecretText.holdsCredential(field.value) else {
      return field.value
    }
    return URL(string: field.value)?.deletingQuery.absoluteString ?? ""
  }

  var response: Response {
    Response(
      url: url, method: Request.Method(rawValue: method), status: Status(rawValue: status),
      headers: Headers(pairs: headers) ?? Headers(), body: body)
  }
}

extension URL {
  fileprivate var deletingQuery: URL {
    var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
    parts?.removeUnsentParts()
    parts?.query = nil
    return parts?.url ?? self
  }
}

extension String {
  /// The first text after all that begin with this one.
  fileprivate var rangeEnd: StoredValue { .text(self + "\u{10FFFF}") }
}
