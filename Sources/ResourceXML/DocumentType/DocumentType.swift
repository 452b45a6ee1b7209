/// What the internal subset of a document type declares.
struct DocumentType: Sendable {
  var entities: [Entity] = []
  var general: [UInt32: Int] = [:]
  var parameters: [UInt32: Int] = [:]
  var attributeLists: [UInt32: AttributeList] = [:]
  private(set) var notations: [XMLEvent.Notation] = []
  private var notationNames: Set<String> = []
  var isStandalone = false
  var hasExternalSubset = false
  var hasParameterReference = false
  /// Whether a parameter entity was left unread, so that later declarations may not be the binding
  /// ones (section 5.1).
  var hasUnreadReference = false

  /// Whether entity and attribute-list declarations still count.
  var isDeclaring: Bool { isStandalone || !hasUnreadReference }

  /// The general entity of a name.
  ///
  /// - Returns: `nil` when it isn't declared but may be so in a part that isn't read.
  /// - Throws: An undeclared-entity error (section 4.1, Entity Declared).
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
