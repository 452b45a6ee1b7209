import Foundation
import ResourceLoading
import ResourceOutbox
import ResourceStore

/// The tables of all collections of a file: the state of each, and what the server has of the rows
/// that have writes on their way. What is shown is in the model's own table.
struct SyncTables {
  let connection: ModelConnection
  /// The name of the collection, which is that of the model's table.
  let name: String

  private var owner: StoredValue { .text(name) }

  /// A row with writes on their way, or one that was answered since the last pull began.
  struct Row {
    let id: StoredValue
    /// The key of its entries in the outbox.
    let key: OutboxKey
    /// The row as the server had it last; `nil` if it had none.
    var base: Data?
    /// What the server has according to a conflict; empty if it was removed.
    var theirs: Data?
    /// Whether it has writes on their way.
    var isWaiting = true
    /// The time of the last answer; 0 before the first.
    var answered: Int64 = 0
  }

  /// The state of a collection. Its times are numbers of answers. Its numbers wrap around, because
  /// those of a damaged row may be as great as any.
  struct State {
    /// The number of sign-outs.
    var epoch: Int64 = 0
    var time: Int64 = 0
    /// The number of the last pull, whether it is under way, and when it began.
    var pull: Int64 = 0
    var isPulling = false
    var began: Int64 = 0
    /// Whether it has passed over rows, so that its cursor doesn't count.
    var isIncomplete = false
    /// Whether rows that it doesn't list are removed.
    var isListing = false
    var cursor: String?
    var page: String?
    var eTag: String?
    var pulled: Date?
  }

  static let table = "Sync collections 1"

  static func create(on connection: ModelConnection) throws {
    for text in [
      """
      CREATE TABLE IF NOT EXISTS "Sync collections 1" (
        name TEXT PRIMARY KEY, epoch INTEGER NOT NULL, time INTEGER NOT NULL, pull INTEGER NOT NULL,
        isPulling INTEGER NOT NULL, began INTEGER NOT NULL, isIncomplete INTEGER NOT NULL,
        isListing INTEGER NOT NULL, cursor TEXT, page TEXT, eTag TEXT, pulled REAL) WITHOUT ROWID
      """,
      """
      CREATE TABLE IF NOT EXISTS "Sync rows 1" (
        collection TEXT NOT NULL, id NOT NULL, key TEXT NOT NULL, base BLOB, theirs BLOB,
        isWaiting INTEGER NOT NULL, answered INTEGER NOT NULL,
        PRIMARY KEY (collection, id)) WITHOUT ROWID
      """,
      #"CREATE INDEX IF NOT EXISTS "Sync rows 1 by key" ON "Sync rows 1" (key)"#,
      #"CREATE TABLE IF NOT EXISTS "Sync pages 1" (collection TEXT NOT NULL, ids TEXT NOT NULL)"#,
      """
      CREATE TABLE IF NOT EXISTS "Sync references 1" (
        collection TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (collection, name)) WITHOUT ROWID
      """,
    ] { try connection.execute(text) }
  }
}

extension SyncTables {
  func state() throws -> State {
    try connection.rows(
      """
      SELECT epoch, time, pull, isPulling, began, isIncomplete, isListing, cursor, page, eTag, pulled
      FROM "Sync collections 1" WHERE name = ?1
      """, [owner]
    ) { row in
      func text(_ column: Int32) -> String? {
        row.value(at: column).isNull ? nil : row.text(at: column)
      }
      return State(
        epoch: row.integer(at: 0), time: row.integer(at: 1), pull: row.integer(at: 2),
        isPulling: row.integer(at: 3) == 1, began: row.integer(at: 4),
        isIncomplete: row.integer(at: 5) == 1, isListing: row.integer(at: 6) == 1, cursor: text(7),
        page: text(8), eTag: text(9),
        pulled: row.value(at: 10).isNull
          ? nil : Date(timeIntervalSinceReferenceDate: row.real(at: 10)))
    }.first ?? State()
  }

  func set(_ state: State) throws {
    func text(_ text: String?) -> StoredValue { text.map(StoredValue.text) ?? .null }
    try connection.execute(
      #"INSERT OR REPLACE INTO "Sync collections 1" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"#,
      [
        owner, .integer(state.epoch), .integer(state.time), .integer(state.pull),
        .bool(state.isPulling), .integer(state.began), .bool(state.isIncomplete),
        .bool(state.isListing), text(state.cursor), text(state.page), text(state.eTag),
        state.pulled.map(StoredValue.init) ?? .null,
      ])
  }

  /// Has observers told of what they see of these tables: the end of a pull, and failures. They
  /// needn't be told of each page.
  func notify() { connection.changedTables.insert(Self.table.foldedName) }

  /// Returns the row for the clauses after `collection = ?1 AND`.
  private func rows(_ condition: String, _ values: StoredValue...) throws -> [Row] {
    try connection.rows(
      """
      SELECT id, key, base, theirs, isWaiting, answered FROM "Sync rows 1"
      WHERE collection = ?1 AND \(condition)
      """, [owner] + values
    ) { row in
      func blob(_ column: Int32) -> Data? {
        row.value(at: column).isNull ? nil : row.blob(at: column)
      }
      return Row(
        id: row.value(at: 0).stored, key: OutboxKey(rawValue: row.text(at: 1)), base: blob(2),
        theirs: blob(3), isWaiting: row.integer(at: 4) == 1, answered: row.integer(at: 5))
    }
  }

  func row(_ id: StoredValue) throws -> Row? { try rows("id = ?2", id).first }

  /// Returns the row to which the entries of a key belong, if some are on their way.
  func row(of key: OutboxKey) throws -> Row? {
    try rows("key = ?2 AND isWaiting = 1", .text(key.rawValue)).first
  }

  /// Returns the rows among some ids, which are given as a JSON array.
  func rows(among ids: String) throws -> [StoredValue: Row] {
    let found = try rows("id IN (SELECT value FROM json_each(?2))", .text(ids))
    return Dictionary(found.map { ($0.id, $0) }) { $1 }
  }

  /// Returns the ids among some that rows of the model's table have.
  func ids(among ids: String, column: String) throws -> Set<StoredValue> {
    guard try !connection.columns(of: name).isEmpty else { return [] }
    let column = try column.quotedName
    return Set(
      try connection.rows(
        """
        SELECT \(column) FROM \(name.quotedName)
        WHERE \(column) IN (SELECT value FROM json_each(?1))
        """, [.text(ids)]
      ) { $0.value(at: 0).stored })
  }

  var isEmpty: Bool {
    get throws { try !connection.hasRow(in: #""Sync rows 1" WHERE collection = ?1"#, [owner]) }
  }

  func set(_ row: Row) throws {
    try connection.execute(
      #"INSERT OR REPLACE INTO "Sync rows 1" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"#,
      [
        owner, row.id, .text(row.key.rawValue), row.base.map(StoredValue.blob) ?? .null,
        row.theirs.map(StoredValue.blob) ?? .null, .bool(row.isWaiting), .integer(row.answered),
      ])
    notify()
  }

  func removeAnswered() throws {
    try connection.execute(
      #"DELETE FROM "Sync rows 1" WHERE collection = ?1 AND isWaiting = 0"#, [owner])
  }

  func removeRows() throws {
    try connection.execute(#"DELETE FROM "Sync rows 1" WHERE collection = ?1"#, [owner])
  }
}

// What a listing has listed so far.
extension SyncTables {
  func addListed(_ ids: String) throws {
    try connection.execute(#"INSERT INTO "Sync pages 1" VALUES (?1, ?2)"#, [owner, .text(ids)])
  }

  func removeListed() throws {
    try connection.execute(#"DELETE FROM "Sync pages 1" WHERE collection = ?1"#, [owner])
  }

  /// Deletes the rows that weren't listed, except for those that were written since the listing
  /// began.
  func deleteUnlisted(column: String, since began: Int64) throws {
    let column = try column.quotedName
    guard try !connection.columns(of: name).isEmpty else { return }
    let count = try connection.execute(
      """
      DELETE FROM \(name.quotedName) WHERE \(column) NOT IN (
        SELECT value FROM "Sync pages 1", json_each(ids) WHERE collection = ?1)
      AND \(column) NOT IN (
        SELECT id FROM "Sync rows 1"
        WHERE collection = ?1 AND (isWaiting = 1 OR answered > ?2))
      """, [owner, .integer(began)])
    if count > 0 { connection.changedTables.insert(name.foldedName) }
  }
}

// Ids that the server gives.
extension SyncTables {
  func setReferences(_ columns: [String]) throws {
    try connection.execute(#"DELETE FROM "Sync references 1" WHERE collection = ?1"#, [owner])
    for column in columns {
      try connection.execute(
        #"INSERT INTO "Sync references 1" VALUES (?1, ?2)"#, [owner, .text(column)])
    }
  }

  /// Gives a row of this collection another id, also where rows of all collections refer to it.
  func rename(_ old: StoredValue, to new: StoredValue, column: String) throws {
    // A pull may have brought the row before its answer.
    try connection.execute("DELETE FROM \(name.quotedName) WHERE \(column.quotedName) = ?1", [new])
    let references = try connection.rows(#"SELECT collection, name FROM "Sync references 1""#) {
      ($0.text(at: 0), $0.text(at: 1))
    }
    for (table, column) in references + [(name, column)] {
      guard try connection.columns(of: table).contains(where: { $0.name == column }) else {
        continue
      }
      let column = try column.quotedName
      let count = try connection.execute(
        "UPDATE \(table.quotedName) SET \(column) = ?2 WHERE \(column) = ?1", [old, new])
      if count > 0 { connection.changedTables.insert(table.foldedName) }
    }
    try connection.execute(
      #"DELETE FROM "Sync rows 1" WHERE collection = ?1 AND id = ?2"#, [owner, new])
    try connection.execute(
      #"UPDATE "Sync rows 1" SET id = ?3 WHERE collection = ?1 AND id = ?2"#, [owner, old, new])
  }
}
