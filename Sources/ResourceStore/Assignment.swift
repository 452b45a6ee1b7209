/// A new value for one column, made by ``Column/set(to:)``.
public struct Assignment<M: Model>: Sendable, Hashable {
  /// The name of the column.
  public let column: String
  /// The value as the column keeps it.
  public let value: Operand
}
