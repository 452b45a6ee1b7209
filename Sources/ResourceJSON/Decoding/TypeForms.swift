internal import Foundation

/// How values of a type are decoded.
enum TypeForm {
  /// By the type itself.
  case itself
  /// As Foundation reads them, or as a simple value.
  case date, url, data, decimal, string, integer, double
  case strings, integers, doubles, points
  case list(any ElementList.Type)
  case dictionary(any StringKeyed.Type)

  init(_ type: any Decodable.Type) {
    if type == Date.self {
      self = .date
    } else if type == URL.self {
      self = .url
    } else if type == Data.self {
      self = .data
    } else if type == Decimal.self {
      self = .decimal
    } else if type == String.self {
      self = .string
    } else if type == Int.self {
      self = .integer
    } else if type == Double.self {
      self = .double
    } else if type == [String].self {
      self = .strings
    } else if type == [Int].self {
      self = .integers
    } else if type == [Double].self {
      self = .doubles
    } else if type == [[Double]].self {
      self = .points
    } else if let list = type as? any ElementList.Type {
      self = .list(list)
    } else if let dictionary = type as? any StringKeyed.Type {
      self = .dictionary(dictionary)
    } else {
      self = .itself
    }
  }
}

/// The forms of the types that a document has been asked for: to find out costs a search among the conformances.
struct TypeForms {
  private var known = [(type: ObjectIdentifier, form: TypeForm)?](repeating: nil, count: 32)

  @inline(__always)
  mutating func form(of type: any Decodable.Type) -> TypeForm {
    let identifier = ObjectIdentifier(type)
    let bits = UInt(bitPattern: identifier)
    let slot = Int((bits &>> 4 ^ bits &>> 9) & 31)
    if let known = known[slot], known.type == identifier { return known.form }
    return learn(type, identifier, slot)
  }

  @inline(never)
  private mutating func learn(
    _ type: any Decodable.Type, _ identifier: ObjectIdentifier, _ slot: Int
  ) -> TypeForm {
    let form = TypeForm(type)
    known[slot] = (identifier, form)
    return form
  }
}
