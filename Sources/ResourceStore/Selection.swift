/// Which rows of a model are wanted, in which order, and how many of them.
public struct Selection<M: StoredModel>: Sendable, Hashable {
  /// What rows must fulfil.
  public var condition: Condition<M>
  /// By what they are sorted: by the first, then by the next. Without any the order is open.
  public var order: [Ordering<M>]
  /// How many there are at most; `nil` sets no limit.
  public var limit: Int?
  /// How many are left out at the beginning.
  public var offset: Int

  /// Asks for rows.
  ///
  /// - Parameters:
  ///   - condition: What they must fulfil.
  ///   - order: By what they are sorted.
  ///   - limit: How many there are at most; `nil` sets no limit.
  ///   - offset: How many are left out at the beginning.
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
  /// Whether it has at most one row, which SQLite finds by a key.
  var isByKey: Bool {
    var names: Set<String> = []
    condition.tree.collectEqualColumns(into: &names)
    return !names.isEmpty && M.keys.contains { names.isSuperset(of: $0.columns) }
  }
}

extension ConditionTree {
  /// Collects the columns that must have one certain value, other than `nil`.
  fileprivate func collectEqualColumns(into names: inout Set<String>) {
    switch self {
    case .compare(let column, .equal, let value) where value.shape != .null:
      names.insert(column.name)
    case .junction(let junction) where junction.op == .and:
      junction.left.collectEqualColumns(into: &names)
      junction.right.collectEqualColumns(into: &names)
    default: break
    }
  }
}
