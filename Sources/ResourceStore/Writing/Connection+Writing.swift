internal import ResourceLoading

extension Connection {
  /// What is done with each of some models.
  enum Operation {
    case insert, upsert, update, delete
  }

  /// Does the same with each of some models, in a transaction that is under way: with all of them, or none.
  ///
  /// - Returns: How many rows were changed by it.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func writeAll<M: StoredModel>(_ models: [M], _ operation: Operation) throws -> Int {
    // One row is all or nothing anyway.
    guard models.count > 1 else { return try write(models, operation) }
    return try atomically { try write(models, operation) }
  }

  /// Does the same with each of some models, in a transaction that ends when it throws.
  ///
  /// - Returns: How many rows were changed by it.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func write<M: StoredModel>(_ models: [M], _ operation: Operation) throws -> Int {
    guard let first = models.first else { return 0 }
    try checkTransaction()
    if operation != .insert, M.keys.isEmpty { throw LoadError(noKey: M.self) }
    var (statement, row) = try preparation(operation, try table(for: first))
    defer {
      statement.clear()
      row.finish()
    }
    var count = 0
    for model in models {
      // Where it has what the table can't take yet, the table is changed, and the row gets another try.
      while try !encode(model, with: row) {
        row.finish()
        (statement, row) = try preparation(operation, try makeTable(M.self, columns: row.columns))
      }
      count += try run(statement)
    }
    if count > 0 { changed.insert(M.table.foldedName) }
    return count
  }

  private func preparation(
    _ operation: Operation, _ table: Table
  ) throws -> (Statement, RowEncoder) {
    let text =
      switch operation {
      case .insert: table.insertion
      case .upsert: table.upsertion
      case .update: table.update
      case .delete: table.deletion
      }
    let statement = try statement(text)
    let row = RowEncoder(
      columns: table.columns, rowNumber: table.rowNumber, statement: statement)
    return (statement, row)
  }

  /// Runs a statement that has no rows.
  ///
  /// - Returns: How many rows of tables were changed.
  func run(_ statement: Statement) throws -> Int {
    defer { statement.reset() }
    while try statement.step() {}
    return changes
  }

  /// Has a model encode itself, and makes what goes wrong there an error of the store.
  @discardableResult
  func encode<M: StoredModel>(_ model: M, with row: RowEncoder) throws -> Bool {
    do { return try row.encode(model) } catch let error as LoadError {
      throw error
    } catch let error as MixedTypes {
      throw LoadError(mixing: error, in: M.self)
    } catch {
      throw LoadError(encoding: error, of: M.self)
    }
  }
}
