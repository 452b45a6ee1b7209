/// One column by which rows are sorted, made by ``Column/ascending`` or ``Column/descending``.
///
/// Numbers sort before texts, and texts by their Unicode scalars.
public struct Ordering<M: Model>: Sendable, Hashable {
  /// The name of the column.
  public let column: String
  /// Whether the highest comes first.
  public let isDescending: Bool
}
