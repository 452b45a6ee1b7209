internal import Foundation
internal import ResourceLoading

// The tables of an outbox. Their form is part of their names.
extension ModelConnection {
  /// The table whose changes are observed.
  static var outboxTable: String { "Outbox entries 1".foldedName }

  /// The value of `session` for an entry that no process is sending, as SQL. It has the length of a session's name, so
  /// that beginning an entry needs no room on a full disk.
  static let noSession = "'00000000-0000-0000-0000-000000000000'"

  /// Creates the tables.
  ///
  /// `blockers` counts what an entry waits for: an earlier entry of its key, the keys in "Outbox dependencies 1", and
  /// the placeholders without a value. So those that can be sent are found by an index, however many others wait.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func createOutboxTables() throws {
    for text in Self.declarations { try execute(text) }
  }

  private static let declarations = [
    """
    CREATE TABLE IF NOT EXISTS "Outbox entries 1" (
      number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, key TEXT NOT NULL,
      state INTEGER NOT NULL, blockers INTEGER NOT NULL, isPaused INTEGER NOT NULL,
      attempts INTEGER NOT NULL, hasBegun INTEGER NOT NULL, mayRepeat INTEGER NOT NULL,
      added REAL NOT NULL, due REAL NOT NULL,
      session TEXT NOT NULL DEFAULT \(ModelConnection.noSession))
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
    CREATE TABLE IF NOT EXISTS "Outbox sessions 1" (id TEXT PRIMARY KEY) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS "Outbox pauses 1" (
      isWhole INTEGER NOT NULL, key TEXT NOT NULL, PRIMARY KEY (isWhole, key)) WITHOUT ROWID
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox entries 1 by key" ON "Outbox entries 1" (key, number)
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox entries 1 ready" ON "Outbox entries 1" (due, number)
      WHERE state = 0 AND blockers = 0 AND isPaused = 0
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox entries 1 others" ON "Outbox entries 1" (state, session, due)
      WHERE state > 0
    """,
    """
    CREATE INDEX IF NOT EXISTS "Outbox entries 1 by age" ON "Outbox entries 1" (added)
      WHERE session = \(ModelConnection.noSession)
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
  ]
}

// Entries.
extension ModelConnection {
  /// Returns the entries that match a condition.
  ///
  /// - Parameter rest: The clauses after `FROM`, such as a condition on `e`, and the order.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func outboxEntries(_ rest: String, _ values: [StoredValue] = []) throws -> [OutboxEntry] {
    try rows(
      """
      SELECT e.id, e.key, r.method, r.target, e.state, e.isPaused, e.blockers, e.attempts, e.added,
        e.due, r.error, r.payload, e.number
      FROM "Outbox entries 1" e JOIN "Outbox requests 1" r ON r.entry = e.number \(rest)
      """, values, OutboxEntry.init)
  }

  /// Returns the entry with an identity; `nil` if it is gone.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func outboxEntry(_ id: OutboxEntry.ID) throws -> OutboxEntry? {
    try outboxEntries("WHERE e.id = ?1", [.text(id.uuidString)]).first
  }

  /// Changes an entry, which no process is sending any more.
  ///
  /// - Parameters:
  ///   - assignments: The list after `SET`; its parameters begin with the second one.
  ///   - values: The values of the parameters.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func changeInOutbox(
    _ number: Int64, _ assignments: String, _ values: [StoredValue] = []
  ) throws {
    changedTables.insert(Self.outboxTable)
    try execute(
      #"UPDATE "Outbox entries 1" SET session = \#(Self.noSession), \#(assignments) WHERE number = ?1"#,
      [.integer(number)] + values)
  }
}

extension OutboxEntry {
  fileprivate init(_ row: Statement) {
    id = UUID(uuidString: row.text(at: 0)) ?? UUID()
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
  }
}

extension UUID {
  /// Makes an identity that begins with the time in milliseconds (version 7, RFC 9562 section 5.7): new ones are last in
  /// an index, so that adding touches the same few pages however many there are.
  init(at date: Date) {
    let milliseconds = UInt64(min(max(0, date.timeIntervalSince1970 * 1000), 0xFFFF_FFFF_FFFF))
    let (first, second) = (UInt64.random(in: 0...(.max)), UInt64.random(in: 0...(.max)))
    let time = milliseconds << 16 | 0x7000 | first & 0x0FFF
    let random = 1 << 63 | second >> 2
    let byte = { (word: UInt64, index: Int) in UInt8(truncatingIfNeeded: word >> (56 - 8 * index)) }
    self.init(
      uuid: (
        byte(time, 0), byte(time, 1), byte(time, 2), byte(time, 3), byte(time, 4), byte(time, 5),
        byte(time, 6), byte(time, 7), byte(random, 0), byte(random, 1), byte(random, 2),
        byte(random, 3), byte(random, 4), byte(random, 5), byte(random, 6), byte(random, 7)
      ))
  }
}
