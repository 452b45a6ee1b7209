/// Parameters of literals alone, nested as deep as needed: what a literal becomes whose nested literals have values of
/// several types.
///
/// ```swift
/// let search = Request.post("/search").json([
///   "text": "swift", "filter": ["state": "open", "stars": 5, "labels": ["bug", nil]],
/// ])
/// ```
///
/// Code doesn't name this type. A variable of any `Encodable` type may stand in a literal of ``Parameters``, whose nested
/// literals have values of one type each, or are followed by `as Parameters`.
public struct NestedParameters: Sendable, ExpressibleByDictionaryLiteral {
  let parameters: Parameters

  /// Makes values in the order of the literal; a name may be repeated.
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
