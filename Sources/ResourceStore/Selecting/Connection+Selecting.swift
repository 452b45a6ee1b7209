internal import ResourceLoading

extension Connection {
  /// The rows that are selected.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a row that isn't a model.
  func select<M: StoredModel>(_ selection: Selection<M>) throws -> [M] {
    guard let statement = try statement(for: SQLQuery(selection)) else { return [] }
    defer { statement.finish() }
    return try models(of: statement)
  }

  private func models<M: StoredModel>(of statement: Statement) throws -> [M] {
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

  /// The models of the row that a statement stands at and of some behind it, not too many and not too large.
  ///
  /// - Returns: The models, and whether the statement stands at another row.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func someModels<M: StoredModel>(
    _ type: M.Type, of statement: Statement
  ) throws -> (rows: [M], areMore: Bool) {
    let row = idleDecoder ?? RowDecoder()
    idleDecoder = row
    row.begin(statement.columnNames)
    defer { row.finish() }
    var areMore = true
    let rows = try ModelBuffer<M>.models(expecting: 0) { buffer in
      for _ in 0..<8 where areMore {
        try Task.checkCancellation()
        areMore = try row.takeRows(of: statement)
        do { try row.decodeRows(into: &buffer) } catch {
          throw LoadError(decoding: error, of: M.self)
        }
      }
    }
    return (rows, areMore)
  }
}
