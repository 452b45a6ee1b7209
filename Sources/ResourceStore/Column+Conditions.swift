public import Foundation

/// A type whose values a column keeps in their own order, so that they can be compared with `<`.
///
/// `Decimal` isn't one: it is kept as text, so that no digit is lost.
public protocol StoredInOrder: Encodable {}

extension Int: StoredInOrder {}
extension Int8: StoredInOrder {}
extension Int16: StoredInOrder {}
extension Int32: StoredInOrder {}
extension Int64: StoredInOrder {}
extension UInt: StoredInOrder {}
extension UInt8: StoredInOrder {}
extension UInt16: StoredInOrder {}
extension UInt32: StoredInOrder {}
extension UInt64: StoredInOrder {}
extension Double: StoredInOrder {}
extension Float: StoredInOrder {}
extension String: StoredInOrder {}
extension Date: StoredInOrder {}
extension Optional: StoredInOrder where Wrapped: StoredInOrder {}

extension Column where Value: Encodable {
  /// The rows whose column has the value.
  public static func == (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .equal, Operand(value)))
  }

  /// The rows whose column has another value, or none.
  public static func != (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .different, Operand(value)))
  }

  /// The rows whose column has one of the values.
  ///
  /// - Parameter values: At most some 30,000.
  public func isIn(_ values: some Sequence<Value>) -> Condition<M> {
    Condition(.isIn(reference, values.map { Operand($0) }))
  }
}

extension Column where Value: StoredInOrder {
  /// The rows whose column comes before the value.
  public static func < (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .less, Operand(value)))
  }

  /// The rows whose column comes before the value or has it.
  public static func <= (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .atMost, Operand(value)))
  }

  /// The rows whose column comes behind the value.
  public static func > (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .greater, Operand(value)))
  }

  /// The rows whose column comes behind the value or has it.
  public static func >= (column: Column, value: Value) -> Condition<M> {
    Condition(.compare(column.reference, .atLeast, Operand(value)))
  }
}

extension Column where Value == String {
  /// The rows whose text has another in it; every case and accent counts.
  public func contains(_ text: String) -> Condition<M> {
    Condition(.contains(reference, Operand(text), onlyAtStart: false))
  }

  /// The rows whose text begins with another; every case and accent counts.
  public func hasPrefix(_ text: String) -> Condition<M> {
    Condition(.contains(reference, Operand(text), onlyAtStart: true))
  }
}
