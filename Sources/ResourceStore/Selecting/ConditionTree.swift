/// A condition as a tree that is never deep, whatever it was put together from.
///
/// The depth matters: SQLite's parser has a stack of 100 places, and a deep tree overflows that of a thread also when
/// it is let go. So what one operator joins is balanced, and a tree that would be too deep isn't made.
indirect enum ConditionTree: Sendable, Hashable {
  /// True for every row.
  case all
  /// The column compared with a value. Order is false where one of them is `NULL`; `NULL` equals `NULL`.
  case compare(ColumnName, Comparison, Operand)
  /// The column's value is one of these.
  case isIn(ColumnName, [Operand])
  /// The column's text has a text in it, at its beginning if so said.
  case contains(ColumnName, Operand, onlyAtStart: Bool)
  case junction(Junction)
  case not(ConditionTree, depth: Int)
  /// Stands for a tree that would be too deep.
  case tooDeep

  /// How a column is compared.
  enum Comparison: Sendable, Hashable {
    case equal, different, less, atMost, greater, atLeast
  }

  enum Operator: Sendable, Hashable { case and, or }

  /// Two trees joined by an operator.
  struct Junction: Sendable, Hashable {
    let op: Operator
    let left: ConditionTree
    let right: ConditionTree
    /// How deep it is.
    let depth: Int
    /// How deep those junctions are at its top that have the same operator.
    let height: Int
  }
}

/// A column by its name, and the type that the model has for it.
struct ColumnName: Sendable, Hashable {
  let name: String
  let type: DeclaredType
}

extension ConditionTree {
  /// Each level takes up to three places of SQLite's parser.
  private static let maximumDepth = 28

  private var depth: Int {
    switch self {
    case .junction(let junction): junction.depth
    case .not(_, let depth): depth
    case .all, .compare, .isIn, .contains, .tooDeep: 0
    }
  }

  var negated: ConditionTree {
    if case .tooDeep = self { return self }
    return depth < Self.maximumDepth ? .not(self, depth: depth + 1) : .tooDeep
  }

  private static func junction(
    _ op: Operator, _ left: ConditionTree, _ right: ConditionTree
  ) -> ConditionTree {
    let depth = max(left.depth, right.depth) + 1
    guard depth <= maximumDepth, left != .tooDeep, right != .tooDeep else { return .tooDeep }
    let height = max(left.height(op), right.height(op)) + 1
    return .junction(Junction(op: op, left: left, right: right, depth: depth, height: height))
  }
}

// An AVL tree: of what is joined one after the other, the depth grows by one when its count doubles.
extension ConditionTree {
  /// Both trees, joined by an operator; what is left and right of each other stays so.
  func joined(_ op: Operator, with other: ConditionTree) -> ConditionTree {
    if op == .and, case .all = self { return other }
    let (height, otherHeight) = (height(op), other.height(op))
    if height > otherHeight + 1, let own = junction(of: op) {
      return Self.balanced(op, own.left, own.right.joined(op, with: other))
    }
    if otherHeight > height + 1, let own = other.junction(of: op) {
      return Self.balanced(op, joined(op, with: own.left), own.right)
    }
    return .junction(op, self, other)
  }

  /// Joins two trees of which one may be too high by one, by turning it.
  private static func balanced(
    _ op: Operator, _ left: ConditionTree, _ right: ConditionTree
  ) -> ConditionTree {
    let difference = left.height(op) - right.height(op)
    if difference > 1, let own = left.junction(of: op) {
      if own.left.height(op) >= own.right.height(op) {
        return .junction(op, own.left, .junction(op, own.right, right))
      } else if let inner = own.right.junction(of: op) {
        return .junction(
          op, .junction(op, own.left, inner.left), .junction(op, inner.right, right))
      }
    } else if difference < -1, let own = right.junction(of: op) {
      if own.right.height(op) >= own.left.height(op) {
        return .junction(op, .junction(op, left, own.left), own.right)
      } else if let inner = own.left.junction(of: op) {
        return .junction(
          op, .junction(op, left, inner.left), .junction(op, inner.right, own.right))
      }
    }
    return .junction(op, left, right)
  }

  private func junction(of op: Operator) -> Junction? {
    if case .junction(let junction) = self, junction.op == op { junction } else { nil }
  }

  private func height(_ op: Operator) -> Int { junction(of: op)?.height ?? 0 }
}
