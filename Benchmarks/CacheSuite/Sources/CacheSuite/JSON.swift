/// A JSON value. Cases are sent to the server as they were read, so nothing of them may be lost.
enum JSON: Codable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    // A server distinguishes `0` from `0.0` in the text of a header.
    case .number(let value): try container.encode(Int(value))
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension JSON {
  subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  var string: String? { if case .string(let value) = self { value } else { nil } }
  var int: Int? { if case .number(let value) = self { Int(value) } else { nil } }
  var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
  var isTrue: Bool { if case .bool(true) = self { true } else { false } }
  var isNull: Bool { if case .null = self { true } else { false } }

  /// The value of a header: lines are joined as `Headers.text(_:)` joins them.
  var headerText: String {
    switch self {
    case .string(let text): text
    case .number(let number): "\(Int(number))"
    case .array(let lines): lines.map(\.headerText).joined(separator: ", ")
    case .null, .bool, .object: ""
    }
  }
}
