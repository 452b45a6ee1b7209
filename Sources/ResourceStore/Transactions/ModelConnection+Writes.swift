internal import ResourceLoading

// Writing, in an open transaction.
extension ModelConnection {
  enum Operation: Equatable {
    case insert, update, delete
    /// Rows that exist keep their values of these columns.
    case upsert(keeping: [String])
  }

  /// Performs an operation on all models or on none, even if the transaction continues after an
  /// error. Returns the number of changed rows.
  func writeAll<M: StoredModel>(_ models: [M], _ operation: Operation) throws -> Int {
    // A single row needs no savepoint.
    guard models.count > 1 else { return try write(models, operation) }
    return try savepoint { try write(models, operation) }
  }

  /// Performs an operation on models in a transaction that ends if it throws, and returns the
  /// number of changed rows.
  func write<M: StoredModel>(_ models: [M], _ operation: Operation) throws -> Int {
    guard let first = models.first else { return 0 }
    try checkTransaction()
    if operation != .insert, M.keys.isEmpty { throw LoadError(noKey: M.self) }
    var (statement, encoder) = try prepare(operation, M.self, try table(for: first))
    defer {
      statement.clear()
      encoder.finish()
    }
    var count = 0
    for model in models {
      // If the table can't store the row yet, it is changed and the row encoded again.
      while try !encoder.encode(model: model) {
        encoder.finish()
        let table = try createTable(M.self, columns: encoder.columns)
        (statement, encoder) = try prepare(operation, M.self, table)
      }
      do { count += try run(statement) } catch let error as LoadError {
        count += try withoutFormerKeys(of: M.self, after: error) {
          statement.clear()
          encoder.finish()
          (statement, encoder) = try prepare(operation, M.self, try table(for: model))
          guard try encoder.encode(model: model) else { throw error }
          return try run(statement)
        }
      }
    }
    if count > 0 { changedTables.insert(M.table.foldedName) }
    return count
  }

  private func prepare<M: StoredModel>(
    _ operation: Operation, _ type: M.Type, _ table: Table
  ) throws -> (Statement, RowEncoder) {
    let text =
      switch operation {
      case .insert: table.insertion
      case .upsert(let kept): try table.upsertion(M.self, keeping: kept)
      case .update: table.update
      case .delete: table.deletion
      }
    let statement = try statement(text)
    let encoder = RowEncoder(
      columns: table.columns, rowNumber: table.rowNumber, statement: statement)
    return (statement, encoder)
  }
}

extension ModelConnection {
  /// Deletes the rows that match a condition, and returns their number.
  func delete<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    try run(.delete, where: condition)
  }

  /// Assigns values to columns of the rows that match a condition, and returns their number.
  func update<M: StoredModel>(
    _ type: M.Type, set assignments: [Assignment<M>], where condition: Condition<M>
  ) throws -> Int {
    guard !assignments.isEmpty else { return 0 }
    try savepoint { try adapt(type, to: assignments) }
    return try run(.update(assignments), where: condition)
  }

  private func run<M: StoredModel>(
    _ verb: SQLQuery<M>.Verb, where condition: Condition<M>
  ) throws -> Int {
    try checkTransaction()
    try checkTypes(of: condition)
    let change = {
      guard let statement = try self.statement(verb, Selection(where: condition)) else { return 0 }
      defer { statement.finish() }
      return try self.run(statement)
    }
    let count: Int
    do { count = try change() } catch let error as LoadError {
      count = try withoutFormerKeys(of: M.self, after: error, change)
    }
    if count > 0 { changedTables.insert(M.table.foldedName) }
    return count
  }

  /// Adapts the table, if there is one, to the assigned values.
  private func adapt<M: StoredModel>(_ type: M.Type, to assignments: [Assignment<M>]) throws {
    let found = try columns(of: M.table)
    guard !found.isEmpty else { return }
    _ = try adapt(type, found, to: assignments.map { try $0.tableColumn(among: found) })
    // A row number that may be `nil` from now on needs the index of any other key.
    let adapted = try columns(of: M.table)
    guard found.contains(where: \.isRowNumber), !adapted.contains(where: \.isRowNumber) else {
      return
    }
    try createIndices(type, adapted.map { TableColumn(name: $0.name, type: $0.type) }, nil)
  }

  /// Checks that SQLite compares columns with values as Swift does. If the column has another type
  /// than the property, it might not: "0042" would match 42.
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

extension ConditionTree {
  fileprivate func forEachColumn(_ body: (ColumnReference) throws -> Void) rethrows {
    switch self {
    case .all, .tooDeep: break
    case .compare(let column, _, _), .contains(let column, _, _), .isIn(let column, _):
      try body(column)
    case .junction(let junction):
      try junction.left.forEachColumn(body)
      try junction.right.forEachColumn(body)
    case .not(let tree, _): try tree.forEachColumn(body)
    }
  }
}

extension Assignment {
  /// The column that the value needs.
  fileprivate func tableColumn(among found: [FileColumn]) throws -> TableColumn {
    let value = try value.stored
    var column = TableColumn(
      name: self.column.name, type: self.column.type, isOptional: value == .null)
    let stored = found.first { $0.name.isSameName(as: column.name) }?.type
    column.needsAny = column.type == .any && stored?.keeps(value) == false
    return column
  }
}

extension DeclaredType {
  /// Whether values of another type are compared with those of a column unchanged.
  fileprivate func compares(with other: DeclaredType) -> Bool {
    switch (self, other) {
    case (.any, _), (_, .any), (.blob, _), (_, .unknown): true
    case (.integer, .unsigned), (.unsigned, .integer), (.integer, .real): true
    default: self == other
    }
  }
}
