/// Any JSON, for what has no type of its own, such as the extensions of problem details.
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

extension JSONValue: Codable {
  /// Decodes any JSON.
  ///
  /// - Throws: What the decoder throws, and `DecodingError` for what isn't JSON.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
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
