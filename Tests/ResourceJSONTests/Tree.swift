import Foundation

/// Any JSON, decoded by trying one type after the other.
enum Tree: Decodable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([Tree])
  case object([String: Tree])

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let bool = try? value.decode(Bool.self) {
      self = .bool(bool)
    } else if let string = try? value.decode(String.self) {
      self = .string(string)
    } else if let array = try? value.decode([Tree].self) {
      self = .array(array)
    } else if let object = try? value.decode([String: Tree].self) {
      self = .object(object)
    } else {
      self = .number(try value.decode(Double.self))
    }
  }
}
