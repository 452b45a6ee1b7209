/// The declarations in the internal subset of a document type.
struct InternalSubset: Sendable {
  var entities: [Entity] = []
  var general: [UInt32: Int] = [:]
  var parameters: [UInt32: Int] = [:]
  var attributeLists: [UInt32: AttributeList] = [:]
  private(set) var notations: [XMLEvent.Notation] = []
  private var notationNames: Set<String> = []
  var isStandalone = false
  var hasExternalSubset = false
  var hasParameterReference = false
  /// Whether a parameter entity wasn't read. Later declarations may then not be binding (section
  /// 5.1).
  var hasUnreadReference = false

  /// Whether entity and attribute-list declarations are still binding.
  var isDeclaring: Bool { isStandalone || !hasUnreadReference }

  /// Returns the general entity with a name; `nil` if it isn't declared, but may be declared in a
  /// part that isn't read.
  func entity(
    _ name: UInt32, _ names: NameTable, at offset: Int, isInParameterEntity: Bool = false
  ) throws(Failure) -> Int? {
    if let index = general[name],
      !isStandalone || isInParameterEntity || !entities[index].isFromParameterEntity
    {
      return index
    }
    let isUnread = hasExternalSubset || hasParameterReference
    if isInParameterEntity || (isUnread && !isStandalone) { return nil }
    throw Failure(
      .undeclaredEntity, "the entity isn't declared", at: offset, name: names.string(name))
  }

  mutating func declare(general entity: Entity) {
    guard isDeclaring, general[entity.name] == nil else { return }
    general[entity.name] = entities.count
    entities.append(entity)
  }

  mutating func declare(parameter entity: Entity) {
    guard isDeclaring, parameters[entity.name] == nil else { return }
    parameters[entity.name] = entities.count
    entities.append(entity)
  }

  mutating func declare(_ notation: XMLEvent.Notation) {
    guard notationNames.insert(notation.name).inserted else { return }
    notations.append(notation)
  }
}

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
  /// Whether the declaration was in a parameter entity.
  var isFromParameterEntity = false
  /// Whether the entity is being expanded.
  var isOpen = false
}

/// The attributes that the document type declares for one element.
struct AttributeList: Sendable {
  struct Declaration: Sendable {
    var name: UInt32
    /// Whether values are normalised further, because the type isn't CDATA (section 3.3.3).
    var isTokenized: Bool
    /// The default value, normalised.
    var value: [UInt8]?
  }

  /// The defaults, in the order of their declarations. Attributes without a default aren't listed,
  /// because each element with the name iterates over the list.
  private(set) var defaults: [(name: UInt32, value: [UInt8])] = []
  /// By the name of a declared attribute: whether its values are normalised further.
  private var tokenized: [UInt32: Bool] = [:]

  var isEmpty: Bool { tokenized.isEmpty }

  /// Adds a declaration. The first one of each name is binding (section 3.3).
  mutating func declare(_ declaration: Declaration) {
    guard tokenized[declaration.name] == nil else { return }
    tokenized[declaration.name] = declaration.isTokenized
    if let value = declaration.value { defaults.append((declaration.name, value)) }
  }

  func isTokenized(_ name: UInt32) -> Bool { tokenized[name] ?? false }
}
