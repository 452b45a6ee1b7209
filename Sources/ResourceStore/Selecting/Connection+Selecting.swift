internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

extension Connection {
  /// The rows that are selected.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a row that isn't a model.
  func select<M: Model>(_ selection: Selection<M>) throws -> [M] {
    let statement = try statement(for: M.self) { text in
      try text.append("SELECT * FROM \(M.table.quotedName)")
      try text.append(where: selection.condition)
      try text.append(order: selection.order)
      text.append(limit: selection.limit, offset: selection.offset)
    }
    guard let statement else { return [] }
    defer { statement.finish() }
    return try models(of: statement)
  }

  private func models<M: Model>(of statement: Statement) throws -> [M] {
    guard try statement.step() else { return [] }
    let row = idleDecoder ?? RowDecoder()
    idleDecoder = nil
    row.begin(statement.columnNames)
    defer {
      row.finish()
      idleDecoder = row
    }
    return try ModelBuffer.models(expecting: statement.rowCount) { buffer in
      var areMore = true
      while areMore {
        try Task.checkCancellation()
        areMore = try row.takeRows(of: statement)
        do { try row.decodeRows(into: &buffer) } catch {
          throw LoadError(decoding: error, of: M.self)
        }
      }
      statement.rowCount = buffer.count
    }
  }

  /// How many rows fulfil a condition.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func count<M: Model>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    let statement = try statement(for: type) { text in
      try text.append("SELECT count(*) FROM \(M.table.quotedName)")
      try text.append(where: condition)
    }
    guard let statement else { return 0 }
    defer { statement.finish() }
    return try statement.step() ? Int(statement.integer(at: 0)) : 0
  }
}

extension Connection {
  /// A statement on a model's table with its values bound, or `nil` where there is no such table yet.
  ///
  /// It is built on trust first. Only where SQLite doesn't understand it are the columns looked up, and
  /// those that the table doesn't have yet are `NULL`.
  func statement<M: Model>(
    for type: M.Type, _ build: (inout QueryText<M>) throws -> Void
  ) throws -> Statement? {
    do { return try bound(QueryText(), build) } catch let error as LoadError {
      guard (error.underlying as? SQLiteError)?.code == SQLITE_ERROR else { throw error }
      let known = try columns(of: M.table).map(\.name)
      guard !known.isEmpty else { return nil }
      return try bound(QueryText(known: Set(known)), build)
    }
  }

  private func bound<M: Model>(
    _ text: QueryText<M>, _ build: (inout QueryText<M>) throws -> Void
  ) throws -> Statement {
    var text = text
    try build(&text)
    let statement = try statement(text.text)
    for (index, value) in text.values.enumerated() {
      try statement.bind(value, at: Int32(index + 1))
    }
    return statement
  }
}

extension Statement {
  /// Makes it ready for the next use and lets go of the values.
  fileprivate func finish() {
    reset()
    clear()
  }
}
