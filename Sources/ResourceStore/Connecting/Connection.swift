internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// An open connection to a database. It isn't `Sendable`: a ``Lane`` makes it, uses it and lets it go, on
/// one queue, which is why SQLite's own mutexes are left out.
final class Connection {
  let handle: OpaquePointer
  /// The tables that this connection writes, as far as it knows their columns.
  var tables: [ObjectIdentifier: Table] = [:]
  /// The types whose tables have their names, by the folded name of the table.
  var namedTables: [String: any StoredModel.Type] = [:]
  /// What `PRAGMA schema_version` said when the tables were looked at.
  var schemaVersion: Int64 = 0
  /// The texts of queries by their shape.
  var queryTexts = QueryTexts()
  /// The folded names of the tables that the transaction has changed so far.
  var changed: Set<String> = []
  /// What `PRAGMA data_version` said when somebody looked last.
  var dataVersion: Int64 = 0
  /// How long it waits for other processes.
  var busyTimeout = Duration.zero
  /// The statement whose rows are read some at a time, on one state of the database.
  var walk: Statement?
  /// What reads rows, while nobody does.
  var idleDecoder: RowDecoder?
  private var statements = StatementCache()

  /// Opens a database as its settings say.
  ///
  /// - Throws: A `LoadError` of kind `store` where there is no way to open it, and `CancellationError`.
  init(_ place: DatabasePlace, _ settings: SQLiteSettings) throws {
    handle = try place.open(isReadOnly: settings.isReadOnly)
    sqlite3_extended_result_codes(handle, 1)
    try prepare(for: settings)
  }

  deinit {
    tables = [:]
    walk = nil
    statements = StatementCache()
    sqlite3_close_v2(handle)
  }
}

extension Connection {
  /// A statement that is prepared once and kept for the next time.
  ///
  /// - Throws: A `LoadError` of kind `store` where SQLite refuses the text.
  func statement(_ text: String) throws -> Statement {
    if let known = statements[text] { return known }
    let statement = try Statement(text, on: self)
    statements[text] = statement
    return statement
  }

  /// Runs a statement to its end and leaves its rows alone.
  func execute(_ text: String) throws {
    let statement = try statement(text)
    defer { statement.reset() }
    while try statement.step() {}
  }

  /// The first value of the first row, or 0 where there is none.
  func integer(_ text: String) throws -> Int64 {
    let statement = try statement(text)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(at: 0) : 0
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes64(handle)) }

  /// Whether a transaction is under way.
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Whether the file or the settings forbid writing.
  var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }
}
