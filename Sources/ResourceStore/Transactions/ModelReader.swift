/// The queries inside a ``SQLiteStore/read(_:)`` or a ``SQLiteStore/transaction(_:)``.
public protocol ModelReader {
  /// Returns the selected rows; empty if there is no table yet.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a row that can't be
  ///   decoded.
  func select<M: StoredModel>(_ selection: Selection<M>) throws -> [M]

  /// Returns the number of rows that match a condition; 0 if there is no table yet.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func count<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int
}

extension ModelReader {
  /// Returns the rows that match a condition; empty if there is no table yet.
  ///
  /// - Parameters:
  ///   - type: The model; it can be omitted if the condition or the result determines it.
  ///   - condition: The condition that rows must match.
  ///   - order: The sort order: by the first, then by the next.
  ///   - limit: The maximum number of rows; `nil` sets no limit.
  ///   - offset: The number of rows to skip.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a row that can't be
  ///   decoded.
  public func select<M: StoredModel>(
    _ type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [M] {
    try select(Selection(where: condition, order: order, limit: limit, offset: offset))
  }

  /// Returns the first row that matches a condition, or `nil` if there is none.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`, also for a row that can't be
  ///   decoded.
  public func first<M: StoredModel>(
    _ type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...
  ) throws -> M? {
    try select(Selection(where: condition, order: order, limit: 1)).first
  }

  /// Returns the number of rows of a model.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  public func count<M: StoredModel>(_ type: M.Type) throws -> Int { try count(type, where: .all) }
}

/// One state of a database, for several queries. It is only valid inside the body of
/// ``SQLiteStore/read(_:)``.
public struct ModelSnapshot: ModelReader {
  private let connection: ModelConnection

  init(_ connection: ModelConnection) { self.connection = connection }

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
}

@available(*, unavailable)
extension ModelSnapshot: Sendable {}
