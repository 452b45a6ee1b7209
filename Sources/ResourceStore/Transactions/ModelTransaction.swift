/// An open transaction, whose queries see its own changes. It is only valid inside the body of
/// ``SQLiteStore/transaction(_:)``.
///
/// A call that throws changes nothing, and a body that catches the error can continue. After an
/// error for which SQLite undoes the whole transaction, such as a full disk, every further call
/// throws.
public struct ModelTransaction: ModelReader {
  package let connection: ModelConnection

  package init(_ connection: ModelConnection) { self.connection = connection }

  /// Returns the selected rows; empty if there is no table yet.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a row that can't be
  ///   decoded.
  public func select<M: StoredModel>(_ selection: Selection<M>) throws -> [M] {
    try connection.select(selection)
  }

  /// Returns the number of rows that match a condition; 0 if there is no table yet.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  public func count<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    try connection.count(type, where: condition)
  }

  /// Inserts rows.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, such as for a key that is
  ///   taken.
  public func insert<M: StoredModel>(_ models: [M]) throws {
    _ = try connection.writeAll(models, .insert)
  }

  /// Inserts rows, and replaces those that have the same first key.
  ///
  /// - Returns: The number of rows that are new or have changed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a model without
  ///   keys.
  @discardableResult
  public func upsert<M: StoredModel>(_ models: [M]) throws -> Int {
    try connection.writeAll(models, .upsert(keeping: []))
  }

  /// Inserts rows, and replaces those that have the same first key except for some columns, which
  /// keep the values that they have in the store.
  ///
  /// - Returns: The number of rows that are new or have changed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a model without
  ///   keys, and for a column that the model doesn't encode.
  @discardableResult
  public func upsert<M: StoredModel, V, each Other>(
    _ models: [M], keeping first: Column<M, V>, _ others: repeat Column<M, each Other>
  ) throws -> Int {
    try connection.writeAll(models, .upsert(keeping: first.names(with: repeat each others)))
  }

  /// Replaces the rows that have the same first key. A row that doesn't exist isn't inserted, which
  /// isn't an error.
  ///
  /// - Returns: The number of rows that exist.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a model without
  ///   keys.
  @discardableResult
  public func update<M: StoredModel>(_ models: [M]) throws -> Int {
    try connection.writeAll(models, .update)
  }

  /// Assigns values to columns of all rows that match a condition.
  ///
  /// - Returns: The number of these rows.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func update<M: StoredModel>(
    _ type: M.Type, set assignments: [Assignment<M>], where condition: Condition<M>
  ) throws -> Int {
    try connection.update(type, set: assignments, where: condition)
  }

  /// Deletes the rows that have the same first key. A row that doesn't exist isn't an error.
  ///
  /// - Returns: The number of rows that existed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a model without
  ///   keys.
  @discardableResult
  public func delete<M: StoredModel>(_ models: [M]) throws -> Int {
    try connection.writeAll(models, .delete)
  }

  /// Deletes the rows that match a condition.
  ///
  /// - Returns: The number of these rows.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func delete<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    try connection.delete(type, where: condition)
  }
}

@available(*, unavailable)
extension ModelTransaction: Sendable {}

extension ModelTransaction {
  /// Inserts a row.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, such as for a key that is
  ///   taken.
  public func insert<M: StoredModel>(_ model: M) throws { try insert([model]) }

  /// Inserts a row, or replaces the one that has the same first key.
  ///
  /// - Returns: Whether the row is new or has changed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a model without
  ///   keys.
  @discardableResult
  public func upsert<M: StoredModel>(_ model: M) throws -> Bool { try upsert([model]) > 0 }

  /// Replaces the row that has the same first key. A row that doesn't exist isn't inserted, which
  /// isn't an error.
  ///
  /// - Returns: Whether the row exists.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a model without
  ///   keys.
  @discardableResult
  public func update<M: StoredModel>(_ model: M) throws -> Bool { try update([model]) > 0 }

  /// Deletes the row that has the same first key. A row that doesn't exist isn't an error.
  ///
  /// - Returns: Whether the row existed.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a model without
  ///   keys.
  @discardableResult
  public func delete<M: StoredModel>(_ model: M) throws -> Bool { try delete([model]) > 0 }
}
