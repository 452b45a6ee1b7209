import ResourceLoading

extension JSONValue {
  var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  /// The value of a header: lines are joined as `Headers.text(_:)` joins them.
  var headerText: String {
    switch self {
    case .string(let text): text
    case .number(let number): "\(number)"
    case .array(let lines): lines.map(\.headerText).joined(separator: ", ")
    case .null, .bool, .object: ""
    }
  }
}
