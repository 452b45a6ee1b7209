/// A query for rows of a model: a condition, an order, and a range.
public struct Selection<M: StoredModel>: Sendable, Hashable {
  /// The condition that rows must match.
  public var condition: Condition<M>
  /// The sort order: by the first, then by the next. Without any, the order is undefined.
  public var order: [Ordering<M>]
  /// The maximum number of rows; `nil` sets no limit.
  public var limit: Int?
  /// The number of rows to skip.
  public var offset: Int

  /// Creates a query.
  ///
  /// - Parameters:
  ///   - condition: The condition that rows must match.
  ///   - order: The sort order.
  ///   - limit: The maximum number of rows, not negative; `nil` sets no limit.
  ///   - offset: The number of rows to skip, not negative.
  public init(
    where condition: Condition<M> = .all, order: [Ordering<M>] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    precondition((limit ?? 0) >= 0 && offset >= 0, "limit and offset must not be negative")
    self.condition = condition
    self.order = order
    self.limit = limit
    self.offset = offset
  }
}

extension Selection {
  /// Whether it has at most one row, which SQLite finds by a unique key.
  var isByKey: Bool {
    var names: Set<String> = []
    condition.tree.collectEqualColumns(into: &names)
    return !names.isEmpty && M.keys.contains { names.isSuperset(of: $0.columns) }
  }
}

extension ConditionTree {
  /// Collects the columns that must equal a value other than `nil`.
  fileprivate func collectEqualColumns(into names: inout Set<String>) {
    switch self {
    case .compare(let column, .equal, let value) where value != .value(.null):
      names.insert(column.name)
    case .junction(let junction) where junction.op == .and:
      junction.left.collectEqualColumns(into: &names)
      junction.right.collectEqualColumns(into: &names)
    default: break
    }
  }
}
