/// A transaction under way. It is only valid inside the body it is given to, and sees what it has written itself.
///
/// Each call does all of what it says or, where it throws, nothing; a body that catches the error can go on. After
/// errors for which SQLite undoes the whole transaction, such as a full disk, all further calls throw.
public struct ModelTransaction: ModelReader {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  public func select<M: StoredModel>(_ selection: Selection<M>) throws -> [M] {
    try connection.select(selection)
  }

  public func count<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    try connection.count(type, where: condition)
  }

  /// Adds rows.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, such as for a key that is taken.
  public func insert<M: StoredModel>(_ models: [M]) throws {
    _ = try connection.writeAll(models, .insert)
  }

  /// Adds rows, and replaces those that have the same first key.
  ///
  /// - Returns: How many rows are new or different now.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func upsert<M: StoredModel>(_ models: [M]) throws -> Int {
    try connection.writeAll(models, .upsert)
  }

  /// Replaces the rows that have the same first key; others aren't added.
  ///
  /// - Returns: How many rows were found.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func update<M: StoredModel>(_ models: [M]) throws -> Int {
    try connection.writeAll(models, .update)
  }

  /// Gives columns new values in all rows that fulfil a condition.
  ///
  /// - Returns: How many rows there were.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func update<M: StoredModel>(
    _ type: M.Type, set assignments: [Assignment<M>], where condition: Condition<M>
  ) throws -> Int {
    try connection.update(type, set: assignments, where: condition)
  }

  /// Removes the rows that have the same first key.
  ///
  /// - Returns: How many rows were found.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func delete<M: StoredModel>(_ models: [M]) throws -> Int {
    try connection.writeAll(models, .delete)
  }

  /// Removes the rows that fulfil a condition.
  ///
  /// - Returns: How many there were.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func delete<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int {
    try connection.delete(type, where: condition)
  }
}

@available(*, unavailable)
extension ModelTransaction: Sendable {}

extension ModelTransaction {
  /// Adds a row.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, such as for a key that is taken.
  public func insert<M: StoredModel>(_ model: M) throws { try insert([model]) }

  /// Adds a row, or replaces the one that has the same first key.
  ///
  /// - Returns: Whether the row is new or different now.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func upsert<M: StoredModel>(_ model: M) throws -> Bool { try upsert([model]) > 0 }

  /// Replaces the row that has the same first key.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func update<M: StoredModel>(_ model: M) throws -> Bool { try update([model]) > 0 }

  /// Removes the row that has the same first key.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  @discardableResult
  public func delete<M: StoredModel>(_ model: M) throws -> Bool { try delete([model]) > 0 }
}
