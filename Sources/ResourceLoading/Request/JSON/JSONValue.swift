public import Foundation
public import ResourceJSON
public import ResourcePrimitives

/// Any JSON value, for data without a type of its own, such as the extensions of problem details.
public enum JSONValue: Sendable, Hashable {
  /// `null`
  case null
  /// `true` or `false`
  case bool(Bool)
  /// A number, with its text: it is sent as it was read. `1`, `1.0` and `10e-1` are equal.
  case number(JSONNumber)
  /// Text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members by their names.
  case object([String: JSONValue])
}

extension JSONValue {
  /// The member with a name; `nil` if there is none, or if this isn't an object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The element at a 0-based position; `nil` if there is none, or if this isn't a list.
  public subscript(position: Int) -> JSONValue? {
    guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
    return elements[position]
  }

  /// The text, if this is one.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The whole number, if this is one that fits an `Int`.
  public var integer: Int? { number?.integer() }

  /// The nearest `Double`, if this is a number.
  public var double: Double? { number?.double }

  /// The number with all of its digits, if this is one.
  public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }

  /// The truth value, if this is one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}

extension JSONValue {
  /// Parses JSON text, strictly by RFC 8259, in time proportional to its length.
  ///
  /// Values may nest 512 deep. Of members with the same name the first counts.
  ///
  /// - Parameter json: The text in UTF-8.
  /// - Throws: A ``LoadError`` of kind ``LoadError/Kind/parsing`` with line and column if the text
  ///   isn't JSON.
  public init(parsing json: Data) throws(LoadError) {
    do {
      self = try JSONReader().decode(JSONValue.self, from: json)
    } catch let error as DecodingError {
      throw LoadError(error, in: json)
    } catch {
      throw LoadError(.parsing, "the text can't be read: \(error)", underlying: error)
    }
  }
}

extension JSONValue: Codable, UntypedValue {
  /// Decodes any JSON.
  ///
  /// It takes time that grows with the bytes where `JSONReader` decodes, as in a `Resource`.
  /// `JSONDecoder` has to be asked one type after the other, and each wrong one costs it the square
  /// of the depth.
  ///
  /// - Throws: What the decoder throws, and `DecodingError` for a value that isn't JSON.
  public init(from decoder: any Decoder) throws {
    if let value = JSONValueBuilder.value(in: decoder) {
      self = value
      return
    }
    if decoder is any TextualDecoder {
      self = .string(try decoder.singleValueContainer().decode(String.self))
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
  private static func scalar(in container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let value = try unlessMismatched(container.decode(String.self)) { return .string(value) }
    if let value = try unlessMismatched(container.decode(Bool.self)) { return .bool(value) }
    return .number(try container.decode(JSONNumber.self))
  }

  /// Returns the value, or `nil` if it has another type. Any other error concerns the value itself.
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
  public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }

  /// A number.
  public init(floatLiteral value: Double) { self = .number(JSONNumber(floatLiteral: value)) }

  /// Text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A list.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// An object; of several members with the same name the last one counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

private struct JSONValueBuilder {
  /// The values of open lists and objects, followed by complete ones.
  private var values: [JSONValue] = []
  /// The names of the members of open objects.
  private var names: [String] = []
  /// Where open lists and objects begin in `values` and `names`.
  private var open: [(value: Int, name: Int)] = []

  /// The value on which a decoder stands; `nil` if the decoder isn't `JSONReader`'s.
  static func value(in decoder: any Decoder) -> JSONValue? {
    var builder = JSONValueBuilder()
    guard JSONReader.forEachPart(in: decoder, { builder.take($0) }) else { return nil }
    return builder.values.popLast()
  }

  /// Complete parts are removed from the end and appended as one value, so nothing is copied twice.
  private mutating func take(_ part: JSONPart) {
    switch part {
    case .null: values.append(.null)
    case .bool(let value): values.append(.bool(value))
    case .number(let value): values.append(.number(value))
    case .string(let value): values.append(.string(value))
    case .name(let name): names.append(name)
    case .start: open.append((values.count, names.count))
    case .end(let isObject): close(isObject: isObject)
    }
  }

  private mutating func close(isObject: Bool) {
    guard let start = open.popLast() else { return }
    // Of several members with one name the first counts, as in Foundation's decoder.
    let value: JSONValue =
      isObject
      ? .object(
        Dictionary(zip(names[start.name...], values[start.value...])) { first, _ in first })
      : .array(Array(values[start.value...]))
    values.removeSubrange(start.value...)
    names.removeSubrange(start.name...)
    values.append(value)
  }
}
