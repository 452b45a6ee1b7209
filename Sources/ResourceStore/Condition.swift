/// What rows must fulfil, written with a model's columns:
///
/// ```swift
/// Item.feed == feed && (Item.isRead == false || Item.published > yesterday)
/// ```
///
/// It means what the same expression means in Swift: `nil` equals `nil` and differs from everything else,
/// comparing the order of `nil` is false, and NaN equals nothing. Texts are equal when their Unicode scalars are.
///
/// As many conditions as one likes can be joined by one operator. Conditions inside conditions of another
/// operator may be some 25 levels deep; deeper ones make an error when they are used.
public struct Condition<M: StoredModel>: Sendable, Hashable {
  let tree: ConditionTree

  init(_ tree: ConditionTree) { self.tree = tree }

  /// What every row fulfils.
  public static var all: Condition { Condition(.all) }
}

extension Condition {
  /// Both conditions.
  public static func && (one: Condition, other: Condition) -> Condition {
    Condition(one.tree.joined(.and, with: other.tree))
  }

  /// At least one of the conditions.
  public static func || (one: Condition, other: Condition) -> Condition {
    Condition(one.tree.joined(.or, with: other.tree))
  }

  /// The rows that don't fulfil the condition.
  public static prefix func ! (condition: Condition) -> Condition {
    Condition(condition.tree.negated)
  }
}
