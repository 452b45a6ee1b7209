/// What is asked of a model's table, or done with its rows.
struct SQLQuery<M: StoredModel> {
  var verb: QueryVerb
  var condition: Condition<M>
  var assignments: [Assignment<M>] = []
  var order: [Ordering<M>] = []
  var limit: Int?
  var offset = 0

  init(_ verb: QueryVerb, where condition: Condition<M>) {
    self.verb = verb
    self.condition = condition
  }

  init(_ selection: Selection<M>) {
    self.init(.select, where: selection.condition)
    (order, limit, offset) = (selection.order, selection.limit, selection.offset)
  }
}

enum QueryVerb: Sendable, Hashable {
  case select, count, delete
  /// Gives these columns values.
  case update([String])
}

extension SQLQuery {
  /// Passes the values on, in the order in which the text has parameters for them.
  ///
  /// - Throws: What the body throws, and a `LoadError` for a value that couldn't be encoded.
  func forEachValue(_ body: (StoredValue) throws -> Void) throws {
    for assignment in assignments { try body(assignment.value.stored) }
    try condition.tree.forEachValue(body)
    guard hasPage else { return }
    // In SQLite's words: -1 is no limit.
    try body(.integer(Int64(limit ?? -1)))
    if offset > 0 { try body(.integer(Int64(offset))) }
  }

  /// Whether a limit or an offset cuts a part out.
  var hasPage: Bool { limit != nil || offset > 0 }

  /// What the text of the statement depends on.
  var shape: QueryShape {
    QueryShape(
      model: ObjectIdentifier(M.self), verb: verb, tree: condition.tree,
      order: order.map { .init(column: $0.column, isDescending: $0.isDescending) },
      hasPage: hasPage, hasOffset: offset > 0)
  }
}

extension ConditionTree {
  /// Passes the values on, in the order in which the text has parameters for them.
  func forEachValue(_ body: (StoredValue) throws -> Void) throws {
    switch self {
    case .all, .tooDeep: break
    case .compare(_, _, .notANumber): break
    case .compare(_, _, let value), .contains(_, let value, _): try body(value.stored)
    case .isIn(_, let values): for value in values where value.isListed { try body(value.stored) }
    case .junction(let junction):
      try junction.left.forEachValue(body)
      try junction.right.forEachValue(body)
    case .not(let tree, _): try tree.forEachValue(body)
    }
  }

  /// Passes the columns on that are looked at.
  func forEachColumn(_ body: (ColumnName) throws -> Void) rethrows {
    switch self {
    case .all, .tooDeep: break
    case .compare(let column, _, _), .contains(let column, _, _), .isIn(let column, _):
      try body(column)
    case .junction(let junction):
      try junction.left.forEachColumn(body)
      try junction.right.forEachColumn(body)
    case .not(let tree, _): try tree.forEachColumn(body)
    }
  }
}

extension Operand {
  /// Whether it stands in the list of an `IN`, in which `NULL` would find nothing.
  var isListed: Bool { shape != .null && shape != .notANumber }
}

/// All of a query but its values: queries of one shape have one text.
struct QueryShape: Sendable {
  let model: ObjectIdentifier
  let verb: QueryVerb
  var tree: ConditionTree
  let order: [Term]
  let hasPage: Bool
  let hasOffset: Bool

  struct Term: Sendable, Hashable {
    let column: String
    let isDescending: Bool
  }
}
