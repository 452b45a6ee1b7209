public import Foundation

/// A column of a model, with the type of its values, for conditions, order and keys.
///
/// ```swift
/// static let title = Column(CodingKeys.title, \Item.title)
/// ```
///
/// The key path provides the type: `Item.title == 5` doesn't compile. The name must be that of the
/// coding key; taken from the key itself, it can't be mistyped. A column that the table doesn't
/// have yet is `nil` in every row.
public struct Column<M: StoredModel, Value>: Sendable, Hashable {
  /// The name in the table: the string value of the coding key.
  public let name: String

  /// Creates a column whose values are known to be of the type.
  init(name: String) { self.name = name }

  /// Creates a column by the name of its coding key.
  public init(_ name: String, _ path: KeyPath<M, Value>) { self.name = name }

  /// Creates a column by its coding key.
  public init(_ key: some CodingKey, _ path: KeyPath<M, Value>) { name = key.stringValue }
}

extension Column {
  /// The column without the model, and with the declared type of its values.
  var reference: ColumnReference { ColumnReference(name: name, type: DeclaredType(of: Value.self)) }

  /// The names of this column and others.
  func names<each Other>(with others: repeat Column<M, each Other>) -> [String] {
    var names = [name]
    repeat names.append((each others).name)
    return names
  }

  /// Sorts the lowest values first; `nil` comes before everything, NaN after all numbers.
  public var ascending: Ordering<M> { Ordering(column: name, isDescending: false) }

  /// Sorts the highest values first; `nil` comes last, NaN before all numbers.
  public var descending: Ordering<M> { Ordering(column: name, isDescending: true) }
}

extension Column where Value: Encodable {
  /// Assigns a value to the column, for ``SQLiteStore/update(_:set:where:)``.
  public func set(to value: Value) -> Assignment<M> {
    Assignment(column: reference, value: Operand(value))
  }
}

/// A column by which rows are sorted, created by ``Column/ascending`` or ``Column/descending``.
///
/// Numbers sort before texts, and texts by their Unicode scalars.
public struct Ordering<M: StoredModel>: Sendable, Hashable {
  let column: String
  let isDescending: Bool
}

/// A new value for a column, created by ``Column/set(to:)``.
public struct Assignment<M: StoredModel>: Sendable, Hashable {
  let column: ColumnReference
  let value: Operand
}

/// A type whose values SQLite compares as Swift does, so that conditions can use `<`.
///
/// `Decimal` isn't one: it is stored as text, so that no digit is lost.
public protocol ComparableColumnValue: Encodable {}

extension Int: ComparableColumnValue {}
extension Int8: ComparableColumnValue {}
extension Int16: ComparableColumnValue {}
extension Int32: ComparableColumnValue {}
extension Int64: ComparableColumnValue {}
extension UInt: ComparableColumnValue {}
extension UInt8: ComparableColumnValue {}
extension UInt16: ComparableColumnValue {}
extension UInt32: ComparableColumnValue {}
extension UInt64: ComparableColumnValue {}
extension Double: ComparableColumnValue {}
extension Float: ComparableColumnValue {}
extension String: ComparableColumnValue {}
extension Date: ComparableColumnValue {}
extension Optional: ComparableColumnValue where Wrapped: ComparableColumnValue {}

extension Column where Value: Encodable {
  /// Matches rows whose column has the value.
  public static func == (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .equal, Operand(value)))
  }

  /// Matches rows whose column has another value, or `nil`.
  public static func != (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .different, Operand(value)))
  }

  /// Matches rows whose column has one of the values.
  ///
  /// - Parameter values: At most about 30,000.
  public func isIn(_ values: some Sequence<Value>) -> Condition<M> {
    Condition(.isIn(reference, values.map { Operand($0) }))
  }
}

extension Column where Value: ComparableColumnValue {
  /// Matches rows whose column is less than the value.
  public static func < (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .less, Operand(value)))
  }

  /// Matches rows whose column is less than the value or equal to it.
  public static func <= (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .atMost, Operand(value)))
  }

  /// Matches rows whose column is greater than the value.
  public static func > (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .greater, Operand(value)))
  }

  /// Matches rows whose column is greater than the value or equal to it.
  public static func >= (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .atLeast, Operand(value)))
  }
}

extension Column where Value == String {
  /// Matches rows whose text contains another, with the same case and accents.
  public func contains(_ text: String) -> Condition<M> {
    Condition(.contains(reference, Operand(text), onlyAtStart: false))
  }

  /// Matches rows whose text begins with another, with the same case and accents.
  public func hasPrefix(_ text: String) -> Condition<M> {
    Condition(.contains(reference, Operand(text), onlyAtStart: true))
  }
}
