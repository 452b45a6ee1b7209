/// What rows must fulfil, written with a model's columns:
///
/// ```swift
/// Item.feed == feed && (Item.isRead == false || Item.published > yesterday)
/// ```
///
/// It means what the same expression means in Swift: `nil` equals `nil` and differs from everything else,
/// and comparing the order of `nil` is false. Texts are equal when their Unicode scalars are.
public struct Condition<M: Model>: Sendable, Hashable {
  /// What is tested, for a store that carries it out.
  public let test: ConditionTest

  /// A condition of a test that was put together by hand.
  public init(_ test: ConditionTest) { self.test = test }

  /// What every row fulfils.
  public static var all: Condition { Condition(.all) }
}

/// A condition as a tree, for stores that carry it out.
public indirect enum ConditionTest: Sendable, Hashable {
  /// True for every row.
  case all
  /// The column compared with a value. Order is false where one of them is `NULL`; `NULL` equals `NULL`.
  case compare(column: String, Comparison, Operand)
  /// The column's value is one of these.
  case isIn(column: String, [Operand])
  /// The column's text has a text in it, at its beginning if so said.
  case contains(column: String, Operand, onlyAtStart: Bool)
  /// Both.
  case and(ConditionTest, ConditionTest)
  /// At least one of them.
  case or(ConditionTest, ConditionTest)
  /// Not this one.
  case not(ConditionTest)

  /// How a column is compared.
  public enum Comparison: Sendable, Hashable {
    /// The same value.
    case equal
    /// Another value.
    case different
    /// Before the value.
    case less
    /// Before the value, or the same.
    case atMost
    /// Behind the value.
    case greater
    /// Behind the value, or the same.
    case atLeast
  }
}

extension Condition {
  /// Both conditions.
  public static func && (one: Condition, other: Condition) -> Condition {
    Condition(.and(one.test, other.test))
  }

  /// At least one of the conditions.
  public static func || (one: Condition, other: Condition) -> Condition {
    Condition(.or(one.test, other.test))
  }

  /// The rows that don't fulfil the condition.
  public static prefix func ! (condition: Condition) -> Condition {
    Condition(.not(condition.test))
  }
}
