internal import Foundation
internal import ResourceLoading
import ResourceStore

/// The tables of an outbox, as one transaction or snapshot sees and changes them.
///
/// SQLite uses a partial index only if its condition is in the query, so `state > 0` beside a state
/// isn't superfluous.
final class OutboxTables {
  let connection: ModelConnection
  let date: Date
  let storage: OutboxStorage
  /// What is to be done after the commit.
  var changes = OutboxChanges()

  init(_ connection: ModelConnection, of storage: OutboxStorage, at date: Date) {
    (self.connection, self.storage, self.date) = (connection, storage, date)
  }

  var settings: OutboxSettings { storage.settings }
}

/// The changes of a transaction, to be published after it: to waiting tasks, to observers, and to
/// the folder.
struct OutboxChanges: Sendable {
  var events: [OutboxEvent] = []
  /// The entries that newer ones replaced.
  var replaced: [OutboxEntry.ID] = []
  /// The names of files that nothing refers to anymore.
  var files: [String] = []
  /// The uploads of entries that were removed without an answer, or replaced.
  var cancelledUploads: [CancelledUpload] = []
}

extension OutboxTables {
  /// The folded name of the table whose changes are observed.
  static let entries = "Outbox entries 1".foldedName

  /// The value of `session` for an entry that no process is sending, as SQL. It has the length of a
  /// session's name, so that beginning an entry needs no room on a full disk.
  static let noSession = "'00000000-0000-0000-0000-000000000000'"

  /// The numbers of the states, as SQL has them.
  static let waiting = OutboxEntry.State.waiting.rawValue
  static let sending = OutboxEntry.State.sending.rawValue
  static let parked = OutboxEntry.State.parked.rawValue
  static let uncertain = OutboxEntry.State.uncertain.rawValue

  /// Creates the tables. The version of their form is part of their names.
  ///
  /// `blockers` counts what an entry waits for: an earlier entry of its key, the keys in "Outbox
  /// dependencies 1", and the placeholders without a value. So those that can be sent are found by
  /// an index, however many others wait.
  func create() throws {
    for text in Self.declarations { try connection.execute(text) }
    // Earlier versions of the library have created the tables without these.
    try addFlag("isCreation", to: "Outbox entries 1")
    try addFlag("needsHandler", to: "Outbox kinds 1")
  }

  private func addFlag(_ name: String, to table: String) throws {
    guard try !connection.columns(of: table).contains(where: { $0.name == name }) else { return }
    try connection.execute(
      "ALTER TABLE \(try table.quotedName) ADD COLUMN \(name) INTEGER NOT NULL DEFAULT 0")
  }

  private static let declarations = [
    """
    CREATE TABLE IF NOT EXISTS "Outbox entries 1" (
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL,
      state INTEGER NOT NULL, blockers INTEGER NOT NULL, isPaused INTEGER NOT NULL,
      attempts INTEGER NOT NULL, hasBegun INTEGER NOT NULL, mayRepeat INTEGER NOT NULL,
      added REAL NOT NULL, due REAL NOT NULL,
      session TEXT NOT NULL DEFAULT \(OutboxTables.noSession),
      isCreation INTEGER NOT NULL DEFAULT 0)
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox requests 1" (
      entry INTEGER PRIMARY KEY, method TEXT NOT NULL, target TEXT NOT NULL, isPath INTEGER NOT NULL,
      headers TEXT, mediaType TEXT, options TEXT, payload BLOB, error BLOB)
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox bodies 1" (
      entry INTEGER NOT NULL, position INTEGER NOT NULL, data BLOB, file TEXT, isOwned INTEGER NOT NULL,
      length INTEGER NOT NULL, PRIMARY KEY (entry, position)) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox dependencies 1" (
      key TEXT NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (key, entry)) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox placeholders 1" (
      id TEXT PRIMARY KEY, entry INTEGER NOT NULL, source TEXT NOT NULL, value BLOB, given REAL)
      WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox uses 1" (
      placeholder TEXT NOT NULL, entry INTEGER NOT NULL,
      PRIMARY KEY (placeholder, entry)) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox pauses 1" (
      isWhole INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (isWhole, key)) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox uploads 1" (
      entry INTEGER PRIMARY KEY, record BLOB NOT NULL, isSafe INTEGER NOT NULL)
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox kinds 1" (
      entry INTEGER PRIMARY KEY, kind TEXT NOT NULL, decided REAL NOT NULL DEFAULT 0,
      needsHandler INTEGER NOT NULL DEFAULT 0)
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox outcomes 1" (
      number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, key TEXT NOT NULL,
      kind TEXT NOT NULL, payload BLOB, answer BLOB, date REAL NOT NULL)
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox entries 1 by key" ON "Outbox entries 1" (key, number)
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox entries 1 ready" ON "Outbox entries 1" (due, number)
      WHERE state = \(OutboxTables.waiting) AND blockers = 0 AND isPaused = 0
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox entries 1 others" ON "Outbox entries 1" (state, session, due)
      WHERE state > \(OutboxTables.waiting)
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox entries 1 by age" ON "Outbox entries 1" (added)
      WHERE session = \(OutboxTables.noSession)
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox bodies 1 files" ON "Outbox bodies 1" (file)
      WHERE isOwned = 1
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox dependencies 1 by entry" ON "Outbox dependencies 1" (entry)
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox placeholders 1 by entry" ON "Outbox placeholders 1" (entry)
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox uses 1 by entry" ON "Outbox uses 1" (entry)
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox kinds 1 by kind" ON "Outbox kinds 1" (kind)
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox outcomes 1 by kind" ON "Outbox outcomes 1" (kind, number)
    """,
  ]
}

extension OutboxTables {
  /// Returns the entries for the clauses after `FROM`, such as a condition on `e`, and the order.
  func entries(_ rest: String, _ values: [StoredValue] = []) throws -> [OutboxEntry] {
    try connection.rows(
      """
      SELECT e.id, e.key, r.method, r.target, e.state, e.isPaused, e.blockers, e.attempts, e.added,
        e.due, r.error, r.payload, e.number, e.hasBegun, e.mayRepeat, k.kind
      FROM "Outbox entries 1" e JOIN "Outbox requests 1" r ON r.entry = e.number
        LEFT JOIN "Outbox kinds 1" k ON k.entry = e.number \(rest)
      """, values, OutboxEntry.init)
  }

  func entry(_ id: OutboxEntry.ID) throws -> OutboxEntry? {
    try entries("WHERE e.id = ?1", [.text(id.uuidString)]).first
  }

  func hasEntry(where condition: String, _ values: StoredValue...) throws -> Bool {
    try connection.hasRow(in: #""Outbox entries 1" WHERE \#(condition)"#, values)
  }

  /// Changes an entry that no process is sending. `assignments` is the list after `SET`, whose
  /// parameters begin with the second one.
  func change(_ number: Int64, _ assignments: String, _ values: StoredValue...) throws {
    try update(
      "session = \(Self.noSession), \(assignments) WHERE number = ?1", [.integer(number)] + values)
  }

  /// Changes entries by the clauses after `SET`, notifies their observers, and returns their
  /// number.
  @discardableResult
  func update(_ rest: String, _ values: [StoredValue]) throws -> Int {
    let count = try connection.execute(#"UPDATE "Outbox entries 1" SET \#(rest)"#, values)
    if count > 0 { connection.changedTables.insert(Self.entries) }
    return count
  }

  func setPaused(_ isPaused: Bool, _ key: OutboxKey?) throws {
    try connection.execute(
      isPaused
        ? #"INSERT OR IGNORE INTO "Outbox pauses 1" VALUES (?1, ?2)"#
        : #"DELETE FROM "Outbox pauses 1" WHERE isWhole = ?1 AND key = ?2"#,
      [.bool(key == nil), .text(key?.rawValue ?? "")])
    if let key {
      try update("isPaused = ?2 WHERE key = ?1", [.text(key.rawValue), .bool(isPaused)])
    }
    connection.changedTables.insert(Self.entries)
  }

  /// Returns the value of a placeholder; `nil` if it isn't known yet.
  func value(of placeholder: OutboxPlaceholder) throws -> PlaceholderValue? {
    try connection.rows(
      #"SELECT value FROM "Outbox placeholders 1" WHERE id = ?1 AND value IS NOT NULL"#,
      [.text(placeholder.id.uuidString)]
    ) { PlaceholderValue($0.blob(at: 0)) }.first
  }
}

extension OutboxEntry {
  fileprivate init(_ row: Statement) {
    let id = UUID(uuidString: row.text(at: 0))
    self.id = id ?? UUID()
    key = OutboxKey(rawValue: row.text(at: 1))
    method = Request.Method(rawValue: row.text(at: 2))
    target = row.text(at: 3)
    state = State(rawValue: Int(row.integer(at: 4))) ?? .parked
    isPaused = row.integer(at: 5) != 0
    isBlocked = row.integer(at: 6) > 0
    attempts = Int(row.integer(at: 7))
    added = Date(timeIntervalSinceReferenceDate: row.real(at: 8))
    due = Date(timeIntervalSinceReferenceDate: row.real(at: 9))
    error = row.value(at: 10).isNull ? nil : LoadError(stored: row.blob(at: 10))
    payload = row.value(at: 11).isNull ? nil : row.blob(at: 11)
    number = row.integer(at: 12)
    hasBegun = row.integer(at: 13) == 1
    mayRepeat = row.integer(at: 14) == 1
    kind = row.value(at: 15).isNull ? nil : row.text(at: 15)
    isDamaged = id == nil || !(0...Int(Int32.max)).contains(attempts)
  }
}
