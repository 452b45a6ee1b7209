// No literal for null: in an optional, `nil` has to mean that there is no value.

extension JSONValue: ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// `true` or `false`
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }

  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }

  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A list.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// An object; of several members with one name the last one counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
