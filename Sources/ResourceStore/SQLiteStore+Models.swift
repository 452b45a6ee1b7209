extension SQLiteStore: ModelStore {
  public func insert<M: Model>(_ models: [M]) async throws {
    try await write { _ = try $0.write(models, .insert) }
  }

  @discardableResult
  public func upsert<M: Model>(_ models: [M]) async throws -> Int {
    try await write { try $0.write(models, .upsert) }
  }

  @discardableResult
  public func update<M: Model>(_ models: [M]) async throws -> Int {
    try await write { try $0.write(models, .update) }
  }

  @discardableResult
  public func update<M: Model>(
    _ type: M.Type, set assignments: [Assignment<M>], where condition: Condition<M>
  ) async throws -> Int {
    try await write { try $0.update(type, set: assignments, where: condition) }
  }

  @discardableResult
  public func delete<M: Model>(_ models: [M]) async throws -> Int {
    try await write { try $0.write(models, .delete) }
  }

  @discardableResult
  public func delete<M: Model>(_ type: M.Type, where condition: Condition<M>) async throws -> Int {
    try await write { try $0.delete(type, where: condition) }
  }

  public func select<M: Model>(_ selection: Selection<M>) async throws -> [M] {
    try await readers.run { try $0.select(selection) }
  }

  public func count<M: Model>(_ type: M.Type, where condition: Condition<M>) async throws -> Int {
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
