internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// A connection with what it knows of the tables of models.
final class ModelConnection: Connection {
  /// The tables that this connection has written to.
  var tables: [ObjectIdentifier: Table] = [:]
  /// The types whose tables have the name of the type, by the folded name.
  var namedTables: [String: any StoredModel.Type] = [:]
  /// The statement of ``ModelRows`` between two batches.
  var cursor: Statement?
  private(set) var queryTexts = QueryTextCache()

  override func schemaMayHaveChanged() { tables = [:] }
}

extension ModelConnection {
  /// A query's statement with its values bound, or `nil` if there is no table yet.
  ///
  /// The text refers to all columns of the condition. Only if SQLite rejects it are the columns looked up, and those
  /// that the table doesn't have become `NULL`.
  ///
  /// - Throws: A `LoadError` of kind `store` for a query that SQLite rejects, and for a value that can't be encoded.
  func statement<M: StoredModel>(for query: SQLQuery<M>) throws -> Statement? {
    do { return try bound(query, try text(of: query)) } catch let error as LoadError {
      guard (error.underlying as? SQLiteError)?.code == SQLITE_ERROR else { throw error }
    } catch is QueryText<M>.AmbiguousName {}
    let known = try columns(of: M.table).map(\.name.foldedName)
    guard !known.isEmpty else {
      _ = try query.values
      return nil
    }
    return try bound(query, try QueryText(query, known: Set(known)).text)
  }

  /// - Throws: A `LoadError` of kind `store` for a name or condition that SQLite can't have, and `AmbiguousName`.
  private func text<M: StoredModel>(of query: SQLQuery<M>) throws -> String {
    let shape = query.shape
    if let known = queryTexts[shape] { return known }
    let text = try QueryText(query).text
    queryTexts[shape] = text
    return text
  }

  /// - Throws: What the encoding of a value throws, or a `LoadError` of kind `store`.
  private func bound<M: StoredModel>(_ query: SQLQuery<M>, _ text: String) throws -> Statement {
    let statement = try statement(text)
    try statement.bind(query.values)
    return statement
  }
}

extension ModelConnection {
  /// The rows that a selection matches; empty if there is no table yet.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a row that can't be decoded.
  func select<M: StoredModel>(_ selection: Selection<M>) throws -> [M] {
    guard let statement = try statement(for: SQLQuery(selection)) else { return [] }
    defer { statement.finish() }
    var rows: [M] = []
    guard try statement.step() else { return [] }
    let decoder = RowDecoder(statement)
    defer { decoder.finish() }
    repeat {
      rows.append(try decoder.model(M.self))
    } while try statement.step()
    return rows
  }

  /// The number of rows that match a condition.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func count<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    guard let statement = try statement(for: SQLQuery(.count, where: condition)) else { return 0 }
    defer { statement.finish() }
    return try statement.step() ? Int(statement.integer(at: 0)) : 0
  }
}

extension RowDecoder {
  /// Decodes the current row.
  ///
  /// - Throws: A `LoadError` of kind `store` if it can't be decoded.
  func model<M: StoredModel>(_ type: M.Type) throws -> M {
    do { return try decode(type) } catch { throw LoadError(decoding: error, of: type) }
  }
}
