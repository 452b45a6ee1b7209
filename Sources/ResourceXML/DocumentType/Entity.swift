/// A declared entity, general or parameter.
struct Entity: Sendable {
  enum Kind: Sendable {
    case `internal`
    case external
    case unparsed
  }

  var name: UInt32
  var kind: Kind
  /// The replacement text of an internal entity (section 4.5).
  var text: [UInt8] = []
  /// Whether the declaration stood in a parameter entity.
  var isFromParameterEntity = false
  /// Whether the entity is being expanded now.
  var isOpen = false
}
