extension Parameters: Encodable {
  /// Encodes the values as they are, for other encoders than that of parameters.
  ///
  /// - Throws: What the encoder throws, and `EncodingError` for a value that couldn't be encoded before.
  public func encode(to encoder: any Encoder) throws {
    try node.encode(to: encoder)
  }
}

extension Parameters.Node: Encodable {
  func encode(to encoder: any Encoder) throws {
    switch self {
    case .leaf(let leaf): try leaf.encode(to: encoder)
    case .list(let nodes): try nodes.encode(to: encoder)
    case .object(let members):
      var container = encoder.container(keyedBy: ParameterKey.self)
      for member in members { try container.encode(member.node, forKey: ParameterKey(member.name)) }
    case .flaw(let reason):
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: reason))
    }
  }
}

extension Parameters.Leaf: Encodable {
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .decimal(let value): try container.encode(Double(value))
    case .text(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    }
  }
}

/// The name of a value, or its 0-based position in a list.
struct ParameterKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) { (stringValue, intValue) = (name, nil) }

  init(index: Int) { (stringValue, intValue) = ("\(index)", index) }

  init?(stringValue: String) { self.init(stringValue) }

  init?(intValue: Int) { self.init(index: intValue) }
}
