internal import Foundation

/// The way in which values of a type are decoded.
enum TypeForm {
  /// By the type's own initialiser.
  case itself
  /// As Foundation decodes them, or as simple values.
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

extension JSONDocument {
  /// Returns the way in which values of a type are decoded. Finding it takes a search among
  /// conformances, so the result is cached.
  @inline(__always)
  func form(of type: any Decodable.Type) -> TypeForm {
    let identifier = ObjectIdentifier(type)
    let bits = UInt(bitPattern: identifier)
    let slot = Int(truncatingIfNeeded: (bits &>> 4 ^ bits &>> 9) & 31)
    let known = forms[slot]
    return known.type == identifier ? known.form : otherForm(of: type, slot)
  }

  /// Returns the form of a type that isn't in its own slot: several types of a document may have
  /// the same slot.
  @inline(never)
  private func otherForm(of type: any Decodable.Type, _ slot: Int) -> TypeForm {
    let identifier = ObjectIdentifier(type)
    for slot in slot..<slot + 8 where forms[slot & 31].type == identifier {
      return forms[slot & 31].form
    }
    let form = TypeForm(type)
    let free = (slot..<slot + 8).first { forms[$0 & 31].type == ObjectIdentifier(Never.self) }
    noteForm(form, of: identifier, in: (free ?? slot) & 31)
    return form
  }
}
