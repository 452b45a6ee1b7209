internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

/// A connection and its knowledge of the models' tables.
package final class ModelConnection: Connection {
  /// The tables that this connection has written to.
  var tables: [ObjectIdentifier: Table] = [:]
  /// The keys of the models that this connection has written, by the folded name of their table.
  var declaredKeys: [String: Set<[String]>] = [:]
  /// The types whose tables have the name of the type, by the folded name.
  var namedTables: [String: any StoredModel.Type] = [:]
  /// The statement of ``ModelRows`` between two batches.
  var cursor: Statement?

  override func schemaMayHaveChanged() {
    super.schemaMayHaveChanged()
    tables = [:]
  }
}

extension ModelConnection {
  /// A query's statement with its values bound, or `nil` if there is no table yet.
  ///
  /// The text refers to all columns of the condition. Only if SQLite rejects it are the columns
  /// looked up, and those that the table doesn't have become `NULL`.
  func statement<M: StoredModel>(
    _ verb: SQLQuery<M>.Verb, _ selection: Selection<M>
  ) throws -> Statement? {
    do { return try bound(SQLQuery(verb, selection)) } catch let error as LoadError {
      guard (error.underlying as? SQLiteError)?.code == SQLITE_ERROR else { throw error }
    } catch is SQLQuery<M>.AmbiguousName {}
    let known = try columns(of: M.table).map(\.name.foldedName)
    let query = try SQLQuery(verb, selection, known: Set(known))
    return known.isEmpty ? nil : try bound(query)
  }

  private func bound<M: StoredModel>(_ query: SQLQuery<M>) throws -> Statement {
    let statement = try statement(query.text)
    try statement.bind(query.values)
    return statement
  }
}

extension ModelConnection {
  func select<M: StoredModel>(_ selection: Selection<M>) throws -> [M] {
    guard let statement = try statement(.select, selection) else { return [] }
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

  func count<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    guard let statement = try statement(.count, Selection<M>(where: condition)) else { return 0 }
    defer { statement.finish() }
    return try statement.step() ? Int(statement.integer(at: 0)) : 0
  }
}

// The cursor of a ``ModelRows``, for which a connection is used alone.
extension ModelConnection {
  /// The limits of a batch. Its last row may exceed the number of bytes.
  private static var batchLimit: (rows: Int, bytes: Int) { (256, 1 << 16) }

  /// Returns the next rows of the only cursor of this connection, and whether there are more. After
  /// the last one, the snapshot of the database is released.
  func nextRows<M: StoredModel>(of selection: Selection<M>) throws -> (rows: [M], hasMore: Bool) {
    do {
      guard let statement = try cursor ?? openCursor(selection) else { return ([], false) }
      let decoder = RowDecoder(statement)
      defer { decoder.finish() }
      var (rows, size, hasMore) = ([M](), 0, true)
      while hasMore, rows.count < Self.batchLimit.rows, size < Self.batchLimit.bytes {
        size += decoder.contentSize
        rows.append(try decoder.model(M.self))
        hasMore = try statement.step()
      }
      if !hasMore { closeCursor() }
      return (rows, hasMore)
    } catch {
      closeCursor()
      throw error
    }
  }

  /// The statement at its first row, which keeps the snapshot of the database until it is reset;
  /// `nil` if there is no row.
  private func openCursor<M: StoredModel>(_ selection: Selection<M>) throws -> Statement? {
    guard let statement = try statement(.select, selection) else { return nil }
    cursor = statement
    guard try statement.step() else {
      closeCursor()
      return nil
    }
    return statement
  }

  private func closeCursor() {
    cursor?.finish()
    cursor = nil
  }
}

extension RowDecoder {
  func model<M: StoredModel>(_ type: M.Type) throws -> M {
    do { return try decode(type) } catch { throw LoadError(decoding: error, of: type) }
  }
}
