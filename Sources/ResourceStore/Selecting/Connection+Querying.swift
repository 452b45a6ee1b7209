internal import ResourceLoading

#if canImport(SQLite3)
  internal import SQLite3
#else
  internal import CResourceSQLite
#endif

extension Connection {
  /// A query's statement with its values bound, or `nil` where there is no such table yet.
  ///
  /// It is written on trust first. Only where SQLite doesn't understand it are the columns looked up, and
  /// those that the table doesn't have yet are `NULL`.
  ///
  /// - Throws: A `LoadError` of kind `store` for a query that SQLite doesn't take.
  func statement<M: StoredModel>(for query: SQLQuery<M>) throws -> Statement? {
    do { return try bound(query, try text(of: query)) } catch let error as LoadError {
      guard (error.underlying as? SQLiteError)?.code == SQLITE_ERROR else { throw error }
    } catch is QueryText<M>.AmbiguousName {}
    let known = try columns(of: M.table).map(\.name.foldedName)
    guard !known.isEmpty else {
      // A value that can't be encoded is an error here, too.
      try query.forEachValue { _ in }
      return nil
    }
    return try bound(query, try QueryText(query, known: Set(known)).text)
  }

  private func text<M: StoredModel>(of query: SQLQuery<M>) throws -> String {
    let shape = query.shape
    if let known = queryTexts[shape] { return known }
    let text = try QueryText(query).text
    queryTexts[shape] = text
    return text
  }

  private func bound<M: StoredModel>(_ query: SQLQuery<M>, _ text: String) throws -> Statement {
    let statement = try statement(text)
    var position: Int32 = 0
    try query.forEachValue { value in
      position += 1
      try statement.bind(value, at: position)
    }
    return statement
  }

  /// How many rows fulfil a condition.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func count<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    guard let statement = try statement(for: SQLQuery(.count, where: condition)) else { return 0 }
    defer { statement.finish() }
    return try statement.step() ? Int(statement.integer(at: 0)) : 0
  }
}

extension Connection {
  /// Removes the rows that fulfil a condition, in a transaction that is under way.
  ///
  /// - Returns: How many there were.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func delete<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    try run(SQLQuery(.delete, where: condition))
  }

  /// Gives columns new values in the rows that fulfil a condition, in a transaction that is under way.
  ///
  /// - Returns: How many there were.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func update<M: StoredModel>(
    _ type: M.Type, set assignments: [Assignment<M>], where condition: Condition<M>
  ) throws -> Int {
    guard !assignments.isEmpty else { return 0 }
    var query = SQLQuery(.update(assignments.map(\.column.name)), where: condition)
    query.assignments = assignments
    try atomically { try adapt(type, to: assignments) }
    return try run(query)
  }

  private func run<M: StoredModel>(_ query: SQLQuery<M>) throws -> Int {
    try checkTransaction()
    try checkTypes(of: query.condition)
    guard let statement = try statement(for: query) else { return 0 }
    defer { statement.finish() }
    let count = try run(statement)
    if count > 0 { changed.insert(M.table.foldedName) }
    return count
  }

  /// Sees to it that the table, if there is one, keeps what columns are given.
  private func adapt<M: StoredModel>(_ type: M.Type, to assignments: [Assignment<M>]) throws {
    let found = try columns(of: M.table)
    guard !found.isEmpty else { return }
    _ = try adapt(type, found, to: assignments.map { try $0.tableColumn(among: found) })
  }

  /// Refuses a condition that SQLite would understand otherwise than Swift, because a column has another type than
  /// the property: it would take "0042" for 42.
  private func checkTypes<M: StoredModel>(of condition: Condition<M>) throws {
    guard condition.tree != .all else { return }
    let found = try columns(of: M.table)
    try condition.tree.forEachColumn { column in
      guard let file = found.first(where: { $0.name.isSameName(as: column.name) }),
        !file.type.compares(with: column.type)
      else { return }
      throw LoadError(
        changing: file.type, to: TableColumn(name: column.name, type: column.type), of: M.self)
    }
  }
}

extension Assignment {
  /// The column for the value.
  fileprivate func tableColumn(among found: [FileColumn]) throws -> TableColumn {
    let value = try value.stored
    var column = TableColumn(
      name: self.column.name, type: self.column.type, isOptional: value == .null)
    let stored = found.first { $0.isSame(as: column) }?.type
    column.needsAny = column.type == .any && stored?.keeps(value) == false
    return column
  }
}

extension DeclaredType {
  /// Whether values of another type are compared with those of a column as they are.
  fileprivate func compares(with other: DeclaredType) -> Bool {
    switch (self, other) {
    case (.any, _), (_, .any), (.blob, _), (_, .unknown): true
    case (.integer, .unsigned), (.unsigned, .integer), (.integer, .real): true
    default: self == other
    }
  }
}

extension Statement {
  /// Makes it ready for the next use and lets go of the values.
  func finish() {
    reset()
    clear()
  }
}
