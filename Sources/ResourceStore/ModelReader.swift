/// What can be asked inside a ``SQLiteStore/read(_:)`` or a ``SQLiteStore/transaction(_:)``.
public protocol ModelReader {
  /// The rows that are selected; none where there is no table yet.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func select<M: StoredModel>(_ selection: Selection<M>) throws -> [M]

  /// How many rows fulfil a condition.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  func count<M: StoredModel>(_ type: M.Type, where condition: Condition<M>) throws -> Int
}

extension ModelReader {
  /// The rows that fulfil a condition.
  ///
  /// - Parameters:
  ///   - type: The model; it can be left out where the condition or the result says it.
  ///   - condition: What the rows must fulfil.
  ///   - order: By what they are sorted: by the first, then by the next.
  ///   - limit: How many there are at most; `nil` sets no limit.
  ///   - offset: How many are left out at the beginning.
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  public func select<M: StoredModel>(
    _ type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...,
    limit: Int? = nil, offset: Int = 0
  ) throws -> [M] {
    try select(Selection(where: condition, order: order, limit: limit, offset: offset))
  }

  /// The first row that fulfils a condition, or `nil`.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  public func first<M: StoredModel>(
    _ type: M.Type = M.self, where condition: Condition<M> = .all, order: Ordering<M>...
  ) throws -> M? {
    try select(Selection(where: condition, order: order, limit: 1)).first
  }

  /// How many rows a model has.
  ///
  /// - Throws: `CancellationError`, or a `LoadError` of kind `store`.
  public func count<M: StoredModel>(_ type: M.Type) throws -> Int { try count(type, where: .all) }
}
