/// Where models are kept: what ``SQLiteStore`` does, for programs that put another database behind it.
///
/// Each call is a transaction of its own: all of it is done, or nothing. Every function throws a `LoadError`,
/// most of them of kind `store`, or `CancellationError`; a call whose task is cancelled changes nothing,
/// unless it had been committed already, and then it succeeds.
public protocol ModelStore: Sendable {
  /// Adds rows.
  ///
  /// - Throws: A `LoadError` of kind `store` where a key is taken, or the store fails.
  func insert<M: Model>(_ models: [M]) async throws

  /// Adds rows, and replaces those that have the same first key.
  ///
  /// - Returns: How many rows are new or different now.
  /// - Throws: A `LoadError` of kind `store` for a model without keys, or where the store fails.
  @discardableResult
  func upsert<M: Model>(_ models: [M]) async throws -> Int

  /// Replaces the rows that have the same first key; others aren't added.
  ///
  /// - Returns: How many rows were found.
  /// - Throws: A `LoadError` of kind `store` for a model without keys, or where the store fails.
  @discardableResult
  func update<M: Model>(_ models: [M]) async throws -> Int

  /// Gives columns new values in all rows that fulfil a condition.
  ///
  /// - Returns: How many rows there were.
  /// - Throws: A `LoadError` of kind `store`.
  @discardableResult
  func update<M: Model>(
    _ type: M.Type, set assignments: [Assignment<M>], where condition: Condition<M>
  ) async throws -> Int

  /// Removes the rows that have the same first key.
  ///
  /// - Returns: How many rows were found.
  /// - Throws: A `LoadError` of kind `store` for a model without keys, or where the store fails.
  @discardableResult
  func delete<M: Model>(_ models: [M]) async throws -> Int

  /// Removes the rows that fulfil a condition.
  ///
  /// - Returns: How many there were.
  /// - Throws: A `LoadError` of kind `store`.
  @discardableResult
  func delete<M: Model>(_ type: M.Type, where condition: Condition<M>) async throws -> Int

  /// The rows that are selected; none where there is no table yet.
  ///
  /// - Throws: A `LoadError` of kind `store`, also for a row that isn't a model any more.
  func select<M: Model>(_ selection: Selection<M>) async throws -> [M]

  /// How many rows fulfil a condition.
  ///
  /// - Throws: A `LoadError` of kind `store`.
  func count<M: Model>(_ type: M.Type, where condition: Condition<M>) async throws -> Int

  /// The rows that are selected now, and again after every commit that changed their table.
  func updates<M: Model>(of selection: Selection<M>) -> Updates<M>
}
