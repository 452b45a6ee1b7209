/// A step of a coding path that no type has named: a member's name, or the 0-based position in an array.
enum JSONKey: CodingKey {
  case name(String)
  case position(Int)

  static let `super` = JSONKey.name("super")

  init(stringValue: String) { self = .name(stringValue) }

  init(intValue: Int) { self = .position(intValue) }

  var stringValue: String {
    switch self {
    case .name(let name): name
    case .position(let position): "Index \(position)"
    }
  }

  var intValue: Int? { if case .position(let position) = self { position } else { nil } }
}
