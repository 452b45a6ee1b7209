import Foundation
import ResourceJSON
import ResourcePrimitives

/// Named values for a query or a form, nested as deep as needed, in a stable order.
///
/// A literal keeps its order, and takes values of any `Encodable` type, variables included.
/// ``Style`` determines how nested values, arrays, dates and the like are written.
///
/// `nil` is left out of queries and forms, which can't express it, and is `null` in JSON, where
/// many servers distinguish "no value" from a missing member: leave the member out of the literal
/// if it shouldn't be sent.
///
/// ```swift
/// let page: Int? = nil
/// let parameters: Parameters = [
///   "q": "jeopardize", "page": page, "tags": ["a", "b"], "filter": ["state": "open"],
/// ]
/// ```
///
/// A nested literal with values of one type is a dictionary, whose values are sorted by name. One
/// with values of several types needs its type if there are variables as well: `["state": state,
/// "filter": ["label": "bug", "stars": 5] as Parameters]`. A literal without variables doesn't.
public struct Parameters: Sendable, Hashable {
  let node: Node

  init(_ node: Node) { self.node = node }

  /// A value with its nested values.
  indirect enum Node: Sendable, Hashable {
    case scalar(Scalar)
    case list([Node])
    case object([Member])
    /// The error of a value that couldn't be encoded.
    case flaw(String)
  }

  /// A named value.
  struct Member: Sendable, Hashable {
    let name: String
    let node: Node
  }

  /// A value without nested ones, before it is written in a style.
  enum Scalar: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    /// A number as Swift writes it.
    case decimal(String)
    case text(String)
    case date(Date)
    case data(Data)
  }
}

extension Parameters: ExpressibleByDictionaryLiteral {
  /// Creates values in the order of the literal; a name may be repeated.
  public init(dictionaryLiteral elements: (String, (any Encodable)?)...) {
    self.init(members: elements)
  }

  init(members: [(String, (any Encodable)?)]) {
    node = .object(members.map { Member(name: $0.0, node: Node($0.1)) })
  }
}

extension Parameters: ExpressibleByArrayLiteral {
  /// Creates a list, as a value within other parameters.
  public init(arrayLiteral elements: (any Encodable)?...) {
    node = .list(elements.map(Node.init))
  }
}

extension Parameters {
  /// Creates parameters from an `Encodable` value with names: a struct, in the order in which it
  /// declares its properties, or a dictionary, sorted by name.
  ///
  /// Never fails: if a value can't be encoded, loading the request fails with a ``LoadError`` of
  /// kind ``LoadError/Kind/invalidRequest`` that has the coding path.
  ///
  /// - Parameter value: The value, which is encoded at once.
  public init(encoding value: some Encodable) {
    node = Node(value)
  }
}

extension Parameters.Scalar {
  /// Returns the scalar for a plain value, or `nil` for a value that encodes itself.
  init?(_ value: any Encodable, at path: [any CodingKey]) throws {
    switch value {
    case let value as String: self = .text(value)
    case let value as Bool: self = .bool(value)
    case let value as any BinaryInteger:
      guard let scalar = Self.integer(value) else { return nil }
      self = scalar
    case let value as Double: self = try .decimal(Self.checked(value, value.isFinite, path))
    case let value as Float: self = try .decimal(Self.checked(value, value.isFinite, path))
    case let value as Decimal: self = try .decimal(Self.checked(value, !value.isNaN, path))
    case let value as URL: self = .text(value.absoluteString)
    case let value as Data: self = .data(value)
    case let value as Date:
      self = .date(value)
      // As a number: Foundation ends the process when it describes an invalid date.
      _ = try Self.checked(value.timeIntervalSince1970, Parameters.Style.writes(value), path)
    default: return nil
    }
  }

  private static func integer(_ value: some BinaryInteger) -> Self? {
    Int64(exactly: value).map(Self.integer) ?? UInt64(exactly: value).map(Self.unsigned)
  }

  /// Returns the text of a value that is valid.
  private static func checked(
    _ value: some Encodable & CustomStringConvertible, _ isValid: Bool, _ path: [any CodingKey]
  ) throws -> String {
    guard isValid else {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: path, debugDescription: "There is no text for \(value) as a parameter."))
    }
    return value.description
  }
}

extension Parameters: Encodable {
  /// Encodes the values unchanged, for encoders other than that of parameters.
  ///
  /// - Throws: What the encoder throws, and `EncodingError` for a value that couldn't be encoded
  ///   before.
  public func encode(to encoder: any Encoder) throws {
    try node.encode(to: encoder)
  }
}

extension Parameters.Node: Encodable {
  func encode(to encoder: any Encoder) throws {
    switch self {
    case .scalar(let scalar): try scalar.encode(to: encoder)
    case .list(let nodes): try nodes.encode(to: encoder)
    case .object(let members):
      var container = encoder.container(keyedBy: PathKey.self)
      for member in members { try container.encode(member.node, forKey: PathKey(member.name)) }
    case .flaw(let reason):
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: reason))
    }
  }
}

extension Parameters.Scalar: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .decimal(let value): try container.encode(Self.number(value))
    case .text(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    }
  }

  /// Returns the number as a `Double` is written, unless it is a `Decimal` that has more digits.
  private static func number(_ text: String) -> JSONNumber? {
    let double = Double(text).flatMap { JSONNumber($0) }
    let exact = JSONNumber(text)
    return double == exact ? double : exact
  }
}

/// Parameters without variables, nested as deep as needed: the type of a literal whose nested
/// literals have values of several types.
///
/// ```swift
/// let search = Request.post("/search").json([
///   "text": "swift", "filter": ["state": "open", "stars": 5, "labels": ["bug", nil]],
/// ])
/// ```
///
/// Code doesn't name this type. A variable of any `Encodable` type may be used in a literal of
/// ``Parameters``, whose nested literals have values of one type each, or are followed by `as
/// Parameters`.
@_documentation(visibility: internal)
public struct NestedParameters: Sendable, ExpressibleByDictionaryLiteral {
  let parameters: Parameters

  /// Creates values in the order of the literal; a name may be repeated.
  public init(dictionaryLiteral elements: (String, Value)...) {
    parameters = Parameters(Self.object(elements))
  }

  fileprivate static func object(_ members: [(String, Value)]) -> Parameters.Node {
    .object(members.map { Parameters.Member(name: $0.0, node: $0.1.node) })
  }

  /// A literal within such parameters.
  public struct Value: Sendable {
    let node: Parameters.Node
  }
}

@_documentation(visibility: internal)
extension NestedParameters.Value: ExpressibleByStringInterpolation,
  ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Text.
  public init(stringLiteral value: String) { node = .scalar(.text(value)) }

  /// A whole number.
  public init(integerLiteral value: Int64) { node = .scalar(.integer(value)) }

  /// A number.
  public init(floatLiteral value: Double) { node = .scalar(.decimal(value.description)) }

  /// `true` or `false`
  public init(booleanLiteral value: Bool) { node = .scalar(.bool(value)) }

  /// No value: `null` in JSON, and left out elsewhere.
  public init(nilLiteral: ()) { node = .scalar(.null) }

  /// A list.
  public init(arrayLiteral elements: Self...) { node = .list(elements.map(\.node)) }

  /// Named values in the order of the literal.
  public init(dictionaryLiteral elements: (String, Self)...) {
    node = NestedParameters.object(elements)
  }
}
