/// A column of a model, with the type of its values, for conditions, order and keys.
///
/// ```swift
/// static let title = Column(CodingKeys.title, \Item.title)
/// ```
///
/// The key path is there for the types: `Item.title == 5` doesn't compile. The name must be the coding
/// key's; made from the key itself, it can't be mistyped. A column that no row has had yet is `nil` in
/// every row.
public struct Column<M: StoredModel, Value>: Sendable, Hashable {
  /// The name in the table: the string value of the coding key.
  public let name: String

  /// A column whose values are known to be of the type.
  init(name: String) { self.name = name }

  /// A column by the name of its coding key.
  public init(_ name: String, _ path: KeyPath<M, Value>) { self.name = name }

  /// A column by its coding key.
  public init(_ key: some CodingKey, _ path: KeyPath<M, Value>) { name = key.stringValue }
}

extension Column {
  /// The column without the model, and with the type that values have in the table.
  var reference: ColumnName { ColumnName(name: name, type: DeclaredType(of: Value.self)) }

  /// The lowest first; `nil` comes before everything, NaN behind all numbers.
  public var ascending: Ordering<M> { Ordering(column: name, isDescending: false) }

  /// The highest first; `nil` comes last, NaN before all numbers.
  public var descending: Ordering<M> { Ordering(column: name, isDescending: true) }
}

extension Column where Value: Encodable {
  /// Gives the column a value in ``SQLiteStore/update(_:set:where:)``.
  public func set(to value: Value) -> Assignment<M> {
    Assignment(column: reference, value: Operand(value))
  }
}
