/// Columns of a model that identify a row together, or by which it is looked for.
///
/// ```swift
/// static let keys = [ModelKey(Vote.user, Vote.item)]
/// ```
public struct ModelKey<M: StoredModel>: Sendable, Hashable {
  /// The names of the columns, in the order in which an index sorts them.
  public let columns: [String]

  /// A key of columns, which may be of different types.
  public init<each Value>(_ column: repeat Column<M, each Value>) {
    var names: [String] = []
    repeat names.append((each column).name)
    columns = names
  }

  /// A key of columns that have no ``Column`` declared.
  ///
  /// - Parameter columns: The names, which are coding keys of the model.
  public init(columns: [String]) { self.columns = columns }
}
