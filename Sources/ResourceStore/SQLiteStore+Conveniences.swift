extension SQLiteStore {
  /// Adds a row.
  ///
  /// - Throws: A `LoadError` of kind `store` where a key is taken, or the store fails.
  public func insert<M: StoredModel>(_ model: M) async throws { try await insert([model]) }

  /// Adds a row, or replaces the one that has the same first key.
  ///
  /// - Returns: Whether the row is new or different now.
  /// - Throws: A `LoadError` of kind `store` for a model without keys, or where the store fails.
  @discardableResult
  public func upsert<M: StoredModel>(_ model: M) async throws -> Bool {
    try await upsert([model]) > 0
  }

  /// Replaces the row that has the same first key.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: A `LoadError` of kind `store` for a model without keys, or where the store fails.
  @discardableResult
  public func update<M: StoredModel>(_ model: M) async throws -> Bool {
    try await update([model]) > 0
  }

  /// Removes the row that has the same first key.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: A `LoadError` of kind `store` for a model without keys, or where the store fails.
  @discardableResult
  public func delete<M: StoredModel>(_ model: M) async throws -> Bool {
    try await delete([model]) > 0
  }

  /// The rows that fulfil a condition.
  ///
  /// ```swift
  /// try await store.select(
  ///   where: Item.isRead == false, order: Item.published.descending, limit: 20)
  /// ```
  ///
  /// - Parameters:
  ///   - type: The model; it can be left out where the condition or the result says it.
  ///   - condition: What the rows must fulfil.
  ///   - order: By what they are sorted: by the first, then by the next.
  ///   - limit: How many there are at most; `nil` sets no limit.
  ///   - offset: How many are left out at the beginning.
  /// - Throws: A `LoadError` of kind `store`, also for a row that isn't a model any more.
  public func select<M: StoredModel>(
    _ type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...,
    limit: Int? = nil, offset: Int = 0
  ) async throws -> [M] {
    try await select(Selection(where: condition, order: order, limit: limit, offset: offset))
  }

  /// The first row that fulfils a condition, or `nil`.
  ///
  /// - Throws: A `LoadError` of kind `store`, also for a row that isn't a model any more.
  public func first<M: StoredModel>(
    _ type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...
  ) async throws -> M? {
    try await select(Selection(where: condition, order: order, limit: 1)).first
  }

  /// How many rows a model has.
  ///
  /// - Throws: A `LoadError` of kind `store`.
  public func count<M: StoredModel>(_ type: M.Type) async throws -> Int {
    try await count(type, where: .all)
  }

  /// The rows that fulfil a condition, now and after every commit that changed their table.
  ///
  /// - Parameters:
  ///   - type: The model; it can be left out where the condition says it.
  ///   - condition: What the rows must fulfil.
  ///   - order: By what they are sorted: by the first, then by the next.
  ///   - limit: How many there are at most; `nil` sets no limit.
  ///   - offset: How many are left out at the beginning.
  public func updates<M: StoredModel>(
    of type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...,
    limit: Int? = nil, offset: Int = 0
  ) -> Updates<M> {
    updates(of: Selection(where: condition, order: order, limit: limit, offset: offset))
  }
}
