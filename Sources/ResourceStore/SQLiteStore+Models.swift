// Every call is a transaction of its own: all of its changes are kept, or none. If its task is
// cancelled, it throws `CancellationError` and changes nothing, unless it was committed already; it
// succeeds then.
extension SQLiteStore {
  /// Inserts rows.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, such as for a key
  ///   that is taken.
  public func insert<M: StoredModel>(_ models: [M]) async throws {
    try await write { _ = try $0.write(models, .insert) }
  }

  /// Inserts rows, and replaces those that have the same first key.
  ///
  /// - Returns: The number of rows that are new or have changed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a model
  ///   without keys.
  @discardableResult
  public func upsert<M: StoredModel>(_ models: [M]) async throws -> Int {
    try await write { try $0.write(models, .upsert(keeping: [])) }
  }

  /// Inserts rows, and replaces those that have the same first key except for some columns, which
  /// keep the values that they have in the store.
  ///
  /// ```swift
  /// try await store.upsert(stories, keeping: Story.isRead)
  /// ```
  ///
  /// A new row has all values of its model. A row that differs in nothing but the kept columns
  /// doesn't change.
  ///
  /// - Parameters:
  ///   - models: The rows.
  ///   - first: A column whose values are kept.
  ///   - others: Further ones.
  /// - Returns: The number of rows that are new or have changed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a model
  ///   without keys, and for a column that the model doesn't encode.
  @discardableResult
  public func upsert<M: StoredModel, V, each Other>(
    _ models: [M], keeping first: Column<M, V>, _ others: repeat Column<M, each Other>
  ) async throws -> Int {
    let kept = first.names(with: repeat each others)
    return try await write { try $0.write(models, .upsert(keeping: kept)) }
  }

  /// Replaces the rows that have the same first key. A row that doesn't exist isn't inserted, which
  /// isn't an error.
  ///
  /// - Returns: The number of rows that exist.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a model
  ///   without keys.
  @discardableResult
  public func update<M: StoredModel>(_ models: [M]) async throws -> Int {
    try await write { try $0.write(models, .update) }
  }

  /// Assigns values to columns of all rows that match a condition.
  ///
  /// - Returns: The number of these rows.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  @discardableResult
  public func update<M: StoredModel>(
    _ type: M.Type, set assignments: [Assignment<M>], where condition: Condition<M>
  ) async throws -> Int {
    try await write { try $0.update(type, set: assignments, where: condition) }
  }

  /// Deletes the rows that have the same first key. A row that doesn't exist isn't an error.
  ///
  /// - Returns: The number of rows that existed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a model
  ///   without keys.
  @discardableResult
  public func delete<M: StoredModel>(_ models: [M]) async throws -> Int {
    try await write { try $0.write(models, .delete) }
  }

  /// Deletes the rows that match a condition.
  ///
  /// - Returns: The number of these rows.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  @discardableResult
  public func delete<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) async throws
    -> Int
  {
    try await write { try $0.delete(type, where: condition) }
  }

  /// Returns the selected rows; empty if there is no table yet.
  ///
  /// A selection whose condition determines all columns of a key matches at most one row. It is
  /// read on the caller's thread if a connection is free.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a row
  ///   that can't be decoded.
  public func select<M: StoredModel>(_ selection: Selection<M>) async throws -> [M] {
    if selection.isByKey, let rows = try readers.runNow({ try $0.select(selection) }) {
      return rows
    }
    return try await readers.run { try $0.select(selection) }
  }

  /// Returns the number of rows that match a condition; 0 if there is no table yet.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`.
  public func count<M: StoredModel>(
    _ type: M.Type, where condition: Condition<M> = .all
  ) async throws -> Int {
    try await readers.run { try $0.count(type, where: condition) }
  }
}

// Short forms.
extension SQLiteStore {
  /// Inserts a row.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, such as for a key
  ///   that is taken.
  public func insert<M: StoredModel>(_ model: M) async throws { try await insert([model]) }

  /// Inserts a row, or replaces the one that has the same first key.
  ///
  /// - Returns: Whether the row is new or has changed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a model
  ///   without keys.
  @discardableResult
  public func upsert<M: StoredModel>(_ model: M) async throws -> Bool {
    try await upsert([model]) > 0
  }

  /// Replaces the row that has the same first key. A row that doesn't exist isn't inserted, which
  /// isn't an error.
  ///
  /// - Returns: Whether the row exists.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a model
  ///   without keys.
  @discardableResult
  public func update<M: StoredModel>(_ model: M) async throws -> Bool {
    try await update([model]) > 0
  }

  /// Deletes the row that has the same first key. A row that doesn't exist isn't an error.
  ///
  /// - Returns: Whether the row existed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a model
  ///   without keys.
  @discardableResult
  public func delete<M: StoredModel>(_ model: M) async throws -> Bool {
    try await delete([model]) > 0
  }

  /// Returns the rows that match a condition; empty if there is no table yet.
  ///
  /// ```swift
  /// try await store.select(
  ///   where: Item.isRead == false, order: Item.published.descending, limit: 20)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The model; it can be omitted if the condition or the result determines it.
  ///   - condition: The condition that rows must match.
  ///   - order: The sort order: by the first, then by the next.
  ///   - limit: The maximum number of rows; `nil` sets no limit.
  ///   - offset: The number of rows to skip.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a row
  ///   that can't be decoded.
  public func select<M: StoredModel>(
    _ type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...,
    limit: Int? = nil, offset: Int = 0
  ) async throws -> [M] {
    try await select(Selection(where: condition, order: order, limit: limit, offset: offset))
  }

  /// Returns the first row that matches a condition, or `nil` if there is none.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store` or `closed`, also for a row
  ///   that can't be decoded.
  public func first<M: StoredModel>(
    _ type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...
  ) async throws -> M? {
    try await select(Selection(where: condition, order: order, limit: 1)).first
  }
}
