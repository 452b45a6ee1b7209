internal import Foundation
internal import ResourceLoading

/// A condition for rows, written with a model's columns:
///
/// ```swift
/// Item.feed == feed && (Item.isRead == false || Item.published > yesterday)
/// ```
///
/// It means the same as the expression in Swift: `nil` equals `nil` and differs from everything
/// else, `<` and `>` are false for `nil`, and NaN equals nothing. Texts are equal if their Unicode
/// scalars are.
///
/// An operator can join any number of conditions. Conditions of alternating operators can be nested
/// about 25 levels deep; using a deeper one throws an error.
public struct Condition<M: StoredModel>: Sendable, Hashable {
  let tree: ConditionTree

  init(_ tree: ConditionTree) { self.tree = tree }

  /// Matches every row.
  public static var all: Condition { Condition(.all) }
}

extension Condition {
  /// Matches rows that both conditions match.
  public static func && (one: Condition, other: Condition) -> Condition {
    Condition(one.tree.joined(.and, with: other.tree))
  }

  /// Matches rows that at least one of the conditions matches.
  public static func || (one: Condition, other: Condition) -> Condition {
    Condition(one.tree.joined(.or, with: other.tree))
  }

  /// Matches rows that the condition doesn't match.
  public static prefix func ! (condition: Condition) -> Condition {
    Condition(condition.tree.negated)
  }
}

/// A condition as a tree of limited depth.
///
/// SQLite's parser has a stack of 100 entries, and releasing a deep tree overflows the stack of a
/// thread. So operands of the same operator are balanced, and a tree that would be too deep becomes
/// ``tooDeep``.
indirect enum ConditionTree: Sendable, Hashable {
  case all
  /// A comparison of the column with a value. `NULL` equals `NULL`, and has no order.
  case compare(ColumnReference, Comparison, Operand)
  case isIn(ColumnReference, [Operand])
  case contains(ColumnReference, Operand, onlyAtStart: Bool)
  case junction(Junction)
  case not(ConditionTree, depth: Int)
  case tooDeep

  enum Comparison: Sendable, Hashable {
    case equal, different, less, atMost, greater, atLeast
  }

  enum Operator: Sendable, Hashable { case and, or }

  /// Two trees joined by an operator.
  struct Junction: Sendable, Hashable {
    let op: Operator
    let left: ConditionTree
    let right: ConditionTree
    /// The number of levels of the tree.
    let depth: Int
    /// The number of levels at its top that have the same operator.
    let height: Int
  }
}

/// A column by its name, with the declared type for the model's property.
struct ColumnReference: Sendable, Hashable {
  let name: String
  let type: DeclaredType
}

extension ConditionTree {
  /// Each level takes up to three entries of the stack of SQLite's parser.
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

// An AVL tree: the depth grows by one when the number of operands doubles.
extension ConditionTree {
  /// Joins two trees by an operator, and keeps the order of their operands.
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

  /// Joins two trees, of which one may be too high by one level, with a rotation.
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

/// A value in a condition or an assignment, encoded for a column.
///
/// Operators can't throw, so an error of the encoding is thrown when the condition is used.
enum Operand: Sendable, Hashable {
  case value(StoredValue)
  /// NaN, which columns store as a text, but which conditions treat as Swift does.
  case notANumber
  case invalid(String)

  init(_ value: some Encodable) {
    do {
      let stored = try StoredValue(encoding: value)
      self = stored == .text("nan") && Self.isNaN(value) ? .notANumber : .value(stored)
    } catch {
      self = .invalid("\(error)")
    }
  }

  private static func isNaN(_ value: some Encodable) -> Bool {
    if let date = value as? Date { return date.timeIntervalSinceReferenceDate.isNaN }
    return (value as? any FloatingPoint)?.isNaN ?? false
  }
}

extension Operand {
  var stored: StoredValue {
    get throws {
      switch self {
      case .value(let value): return value
      case .notANumber: return StoredValue(Double.nan)
      case .invalid(let reason):
        throw LoadError(
          .store, "a value can't be stored in a column: \(reason)",
          advice: "Change how the type encodes itself")
      }
    }
  }
}
