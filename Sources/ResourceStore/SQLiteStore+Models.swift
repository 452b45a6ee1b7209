/// Each call is a transaction of its own: all of it is done, or nothing. A call whose task is cancelled throws
/// `CancellationError` and changes nothing, unless it had been committed already, and then it succeeds.
extension SQLiteStore {
  /// Adds rows.
  ///
  /// - Throws: A `LoadError` of kind `store` where a key is taken, or the store fails.
  public func insert<M: StoredModel>(_ models: [M]) async throws {
    try await write { _ = try $0.write(models, .insert) }
  }

  /// Adds rows, and replaces those that have the same first key.
  ///
  /// - Returns: How many rows are new or different now.
  /// - Throws: A `LoadError` of kind `store` for a model without keys, or where the store fails.
  @discardableResult
  public func upsert<M: StoredModel>(_ models: [M]) async throws -> Int {
    try await write { try $0.write(models, .upsert) }
  }

  /// Replaces the rows that have the same first key; others aren't added.
  ///
  /// - Returns: How many rows were found.
  /// - Throws: A `LoadError` of kind `store` for a model without keys, or where the store fails.
  @discardableResult
  public func update<M: StoredModel>(_ models: [M]) async throws -> Int {
    try await write { try $0.write(models, .update) }
  }

  /// Gives columns new values in all rows that fulfil a condition.
  ///
  /// - Returns: How many rows there were.
  /// - Throws: A `LoadError` of kind `store`.
  @discardableResult
  public func update<M: StoredModel>(
    _ type: M.Type, set assignments: [Assignment<M>], where condition: Condition<M>
  ) async throws -> Int {
    try await write { try $0.update(type, set: assignments, where: condition) }
  }

  /// Removes the rows that have the same first key.
  ///
  /// - Returns: How many rows were found.
  /// - Throws: A `LoadError` of kind `store` for a model without keys, or where the store fails.
  @discardableResult
  public func delete<M: StoredModel>(_ models: [M]) async throws -> Int {
    try await write { try $0.write(models, .delete) }
  }

  /// Removes the rows that fulfil a condition.
  ///
  /// - Returns: How many there were.
  /// - Throws: A `LoadError` of kind `store`.
  @discardableResult
  public func delete<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) async throws
    -> Int
  {
    try await write { try $0.delete(type, where: condition) }
  }

  /// The rows that are selected; none where there is no table yet.
  ///
  /// A selection that has at most one row, because its condition says what the columns of a key are, is
  /// read on the caller's thread if a connection is free.
  ///
  /// - Throws: A `LoadError` of kind `store`, also for a row that isn't a model any more.
  public func select<M: StoredModel>(_ selection: Selection<M>) async throws -> [M] {
    if selection.isByKey, let rows = try readers.runNow({ try $0.select(selection) }) {
      return rows
    }
    return try await readers.run { try $0.select(selection) }
  }

  /// How many rows fulfil a condition.
  ///
  /// - Throws: A `LoadError` of kind `store`.
  public func count<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) async throws
    -> Int
  {
    try await readers.run { try $0.count(type, where: condition) }
  }
}

extension SQLiteStore {
  /// Does several things as one: all of them are kept, or none.
  ///
  /// ```swift
  /// try await store.transaction { transaction in
  ///   try transaction.upsert(feed)
  ///   try transaction.insert(items)
  /// }
  /// ```
  ///
  /// - Parameter body: Runs once, on the thread that writes; whoever reads meanwhile sees the state before.
  ///   What it throws undoes everything.
  /// - Returns: What the body returns, when it has been committed.
  /// - Throws: What the body throws, `CancellationError` when the task was cancelled before the commit, or
  ///   a `LoadError` of kind `store`.
  public func transaction<R: Sendable>(
    _ body: @Sendable (ModelTransaction) throws -> R
  ) async throws -> R {
    try await write { try body(ModelTransaction($0)) }
  }

  private func write<R: Sendable>(
    _ body: @Sendable (Connection) throws -> R
  ) async throws -> R {
    try await writer.run { connection in
      let result = try connection.transaction { try body(connection) }
      self.announcer.announce(connection.changed)
      return result
    }
  }

  /// Reads several things of one and the same state, whatever is committed meanwhile.
  ///
  /// - Parameter body: Runs once, on a thread for reading.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws, `CancellationError`, or a `LoadError` of kind `store`.
  public func read<R: Sendable>(_ body: @Sendable (ModelSnapshot) throws -> R) async throws -> R {
    try await readers.run { connection in
      try connection.snapshot { try body(ModelSnapshot(connection)) }
    }
  }
}
