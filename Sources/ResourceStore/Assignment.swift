/// A new value for one column, made by ``Column/set(to:)``.
public struct Assignment<M: StoredModel>: Sendable, Hashable {
  let column: ColumnName
  let value: Operand
}
