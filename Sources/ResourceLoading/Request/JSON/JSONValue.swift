public import Foundation

/// Any JSON value, for data without a type of its own, such as the extensions of problem details.
public enum JSONValue: Sendable, Hashable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A whole number that fits 64 bits.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// Text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members by their names.
  case object([String: JSONValue])
}

extension JSONValue {
  /// The member with a name; `nil` if there is none, or if this is no object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The element at a 0-based position; `nil` if there is none, or if this is no list.
  public subscript(position: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
    return elements[position]
  }

  /// The text, if this is one.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The whole number, if this is one.
  public var integer: Int? {
    if case .integer(let value) = self { Int(exactly: value) } else { nil }
  }

  /// The number, whole or not, if this is one.
  public var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The truth value, if this is one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

extension JSONValue {
  /// Parses JSON text, strictly by RFC 8259, in time proportional to its length.
  ///
  /// Values may nest 512 deep. Of members with the same name the first counts.
  ///
  /// - Parameter json: The text in UTF-8.
  /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/parsing`` with line and column if the text isn't JSON.
  public init(parsing json: Data) throws(LoadError) {
    do throws(DecodingError) {
      self = try Self.reading(json)
    } catch {
      throw LoadError(error, in: json)
    }
  }
}

extension JSONValue: Codable {
  /// Decodes any JSON.
  ///
  /// It takes time that grows with the bytes where `JSONReader` decodes, as in a `Resource`. `JSONDecoder` has to be asked
  /// one type after the other, and each wrong one costs it the square of the depth.
  ///
  /// - Throws: What the decoder throws, and `DecodingError` for a value that isn't JSON.
  public init(from decoder: any Decoder) throws {
    if let value = try JSONValueBuilder.value(in: decoder) {
      self = value
      return
    }
    if var list = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !list.isAtEnd { elements.append(try list.decode(JSONValue.self)) }
      self = .array(elements)
      return
    }
    let container = try decoder.singleValueContainer()
    if (try? decoder.container(keyedBy: PathKey.self)) != nil {
      self = .object(try container.decode([String: JSONValue].self))
    } else {
      self = try Self.scalar(in: container)
    }
  }

  /// Decodes a value that is neither a list nor an object.
  ///
  /// - Throws: What the decoder throws, such as `DecodingError` for a value that isn't JSON.
  private static func scalar(in container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let value = try unlessMismatched(container.decode(String.self)) { return .string(value) }
    if let value = try unlessMismatched(container.decode(Bool.self)) { return .bool(value) }
    if let value = try? container.decode(Int64.self) { return .integer(value) }
    return .number(try container.decode(Double.self))
  }

  /// Returns the value, or `nil` if it has another type. Any other error concerns the value itself.
  ///
  /// - Throws: What decoding throws, except for a mismatch of types.
  private static func unlessMismatched<T>(_ value: @autoclosure () throws -> T) throws -> T? {
    do { return try value() } catch DecodingError.typeMismatch { return nil }
  }

  /// Encodes the value.
  ///
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

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

  /// An object; of several members with the same name the last one counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
