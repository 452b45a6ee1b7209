internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// An open connection to a database. It isn't `Sendable`: a ``ConnectionQueue`` opens, uses and
/// closes it on one queue, which is why SQLite's own mutexes are switched off.
@safe package class Connection {
  /// SQLite's connection. It is open until the end of `deinit` and used on one queue at a time, so
  /// that every call of SQLite here gets a valid one; texts and addresses that are passed with it
  /// live until the call returns.
  let handle: OpaquePointer
  let name: String
  /// The folded names of the tables that the current transaction has changed so far.
  package var changedTables: Set<String> = []
  /// The functions of ``onEnd(_:)``, in order.
  var completions: [(Bool) -> Void] = []
  /// The `PRAGMA data_version` as last read.
  var dataVersion: Int64 = 0
  /// The `PRAGMA schema_version` of the last transaction.
  var schemaVersion: Int64 = 0
  /// How long statements wait for other processes.
  var busyTimeout = Duration.zero
  private var statements = StatementCache()

  init(_ location: DatabaseLocation, _ settings: SQLiteSettings) throws {
    unsafe handle = try unsafe location.open(settings)
    name = "\(location)"
    unsafe sqlite3_extended_result_codes(handle, 1)
    try apply(settings)
  }

  deinit {
    statements = StatementCache()
    unsafe sqlite3_close_v2(handle)
  }

  /// Called when the schema may have changed, by another connection or because a transaction was
  /// rolled back. The tables and columns of prepared statements may be gone.
  func schemaMayHaveChanged() { statements = StatementCache() }
}

extension Connection {
  /// A statement, which is prepared once and kept.
  func statement(_ text: String) throws -> Statement {
    if let known = statements[text] { return known }
    let statement = try Statement(text, on: self)
    statements[text] = statement
    return statement
  }

  /// Runs a statement to its end, ignores its rows, and returns how many rows of tables it changed.
  @discardableResult
  func run(_ statement: Statement) throws -> Int {
    defer { statement.reset() }
    while try statement.step() {}
    return unsafe Int(sqlite3_changes64(handle))
  }

  /// Prepares, binds and runs a statement, releases the values, and returns how many rows of tables
  /// it changed.
  @discardableResult
  package func execute(_ text: String, _ values: [StoredValue] = []) throws -> Int {
    let statement = try statement(text)
    defer { if !values.isEmpty { statement.clear() } }
    try statement.bind(values)
    return try run(statement)
  }

  /// The first value of the first row, or 0 if there is no row.
  package func integer(_ text: String, _ values: [StoredValue] = []) throws -> Int64 {
    let statement = try statement(text)
    try statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(at: 0) : 0
  }

  /// Returns what is read of each row of a query.
  package func rows<R>(
    _ text: String, _ values: [StoredValue] = [], _ read: (Statement) throws -> R
  ) throws -> [R] {
    let statement = try statement(text)
    defer { statement.finish() }
    try statement.bind(values)
    var rows: [R] = []
    while try statement.step() { rows.append(try read(statement)) }
    return rows
  }

  /// Returns whether there is a row. `rows` are the clauses after `FROM`.
  package func hasRow(in rows: String, _ values: [StoredValue] = []) throws -> Bool {
    try integer("SELECT EXISTS (SELECT 1 FROM \(rows))", values) == 1
  }

  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  var isReadOnly: Bool { unsafe sqlite3_db_readonly(handle, "main") == 1 }
}

/// Prepared statements by their texts. When there are too many, the least recently used half is
/// removed.
private struct StatementCache {
  private static let limit = 128

  private var entries: [String: Entry] = [:]
  private var useCount = 0

  private struct Entry {
    let statement: Statement
    var lastUse: Int
  }

  subscript(text: String) -> Statement? {
    mutating get {
      guard let index = entries.index(forKey: text) else { return nil }
      useCount += 1
      entries.values[index].lastUse = useCount
      return entries.values[index].statement
    }
    set {
      useCount += 1
      entries[text] = newValue.map { Entry(statement: $0, lastUse: useCount) }
      if entries.count > Self.limit { removeHalf() }
    }
  }

  private mutating func removeHalf() {
    let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(Self.limit / 2)
    for (text, _) in oldest { entries[text] = nil }
  }
}
