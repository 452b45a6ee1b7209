/// A query for rows of a model's table, or a change of them.
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
  /// Assigns values to these columns.
  case update([String])
}

extension SQLQuery {
  /// The values, in the order of the text's parameters.
  ///
  /// - Throws: A `LoadError` of kind `store` for a value that couldn't be encoded.
  var values: [StoredValue] {
    get throws {
      var values = try assignments.map { try $0.value.stored }
      try condition.tree.appendValues(to: &values)
      if hasPage {
        // -1 means no limit.
        values.append(.integer(Int64(limit ?? -1)))
        if offset > 0 { values.append(.integer(Int64(offset))) }
      }
      return values
    }
  }

  /// Whether it has a limit or an offset.
  var hasPage: Bool { limit != nil || offset > 0 }

  /// The query without its values: queries of the same shape have the same text.
  var shape: QueryShape {
    QueryShape(
      model: ObjectIdentifier(M.self), verb: verb, tree: condition.tree.withoutValues,
      order: order.map { .init(column: $0.column, isDescending: $0.isDescending) },
      hasPage: hasPage, hasOffset: offset > 0)
  }
}

/// A query without its values.
struct QueryShape: Sendable, Hashable {
  let model: ObjectIdentifier
  let verb: QueryVerb
  let tree: ConditionTree
  let order: [Term]
  let hasPage: Bool
  let hasOffset: Bool

  struct Term: Sendable, Hashable {
    let column: String
    let isDescending: Bool
  }
}

/// The texts of queries by their shapes, so that a repeated query needn't be written again.
struct QueryTextCache {
  private static let limit = 128

  private var texts: [QueryShape: String] = [:]

  subscript(shape: QueryShape) -> String? {
    get { texts[shape] }
    set {
      if texts.count >= Self.limit { texts = [:] }
      texts[shape] = newValue
    }
  }
}

extension ConditionTree {
  /// Appends the values, in the order of the text's parameters.
  ///
  /// - Throws: What the encoding of a value throws.
  fileprivate func appendValues(to values: inout [StoredValue]) throws {
    switch self {
    case .all, .tooDeep: break
    case .compare(_, _, .notANumber): break
    case .compare(_, _, let value), .contains(_, let value, _): values.append(try value.stored)
    case .isIn(_, let listed):
      for value in listed where value.isListed { values.append(try value.stored) }
    case .junction(let junction):
      try junction.left.appendValues(to: &values)
      try junction.right.appendValues(to: &values)
    case .not(let tree, _): try tree.appendValues(to: &values)
    }
  }

  /// Calls the body with each column.
  ///
  /// - Throws: What the body throws.
  func forEachColumn(_ body: (ColumnReference) throws -> Void) rethrows {
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

  /// The tree with a placeholder for each value.
  fileprivate var withoutValues: ConditionTree {
    switch self {
    case .compare(let column, let comparison, let value):
      .compare(column, comparison, value.withoutValue)
    case .isIn(let column, let values): .isIn(column, values.map(\.withoutValue))
    case .contains(let column, let text, let onlyAtStart):
      .contains(column, text.withoutValue, onlyAtStart: onlyAtStart)
    case .junction(let junction): .junction(junction.withoutValues)
    case .not(let tree, let depth): .not(tree.withoutValues, depth: depth)
    case .all, .tooDeep: self
    }
  }
}

extension ConditionTree.Junction {
  fileprivate var withoutValues: Self {
    Self(
      op: op, left: left.withoutValues, right: right.withoutValues, depth: depth, height: height)
  }
}

extension Operand {
  /// Whether it is listed in an `IN`, where `NULL` would match nothing.
  var isListed: Bool { shape != .null && shape != .notANumber }

  fileprivate var withoutValue: Operand {
    switch shape {
    case .null: .value(.null)
    case .real: .value(.real(0))
    case .other: .value(.integer(0))
    case .notANumber: .notANumber
    case .invalid: .invalid("")
    }
  }
}
