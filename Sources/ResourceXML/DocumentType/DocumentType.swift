extension DocumentParser {
  /// Production 28. The declaration is read in one piece, so that nothing of an incomplete one stays.
  mutating func documentType<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    var fresh = DocumentType()
    fresh.isStandalone = type.isStandalone
    type = fresh
    budget.reset(to: 0)

    var i = p + 9
    try requireSpace(bytes, &i)
    let name = try qualifiedName(bytes, &i)
    var event = XMLEvent.DocumentType(name: namespaces.names.string(name), notations: [])
    let spaceStart = i
    i = bytes.skipSpace(from: i)
    if i > spaceStart, let id = try externalID(bytes, &i) {
      event.publicID = id.publicID
      event.systemID = id.systemID
      type.hasExternalSubset = true
      i = bytes.skipSpace(from: i)
    }
    var instructions: [(String, String)] = []
    if try bytes.byte(at: i) == .leftBracket {
      i += 1
      try subset(bytes, &i, &instructions)
      i = bytes.skipSpace(from: i)
    }
    guard try bytes.byte(at: i) == .greaterThan else { throw .syntax("“>” is expected", at: i) }
    event.notations = type.notations
    try sink.documentType(event)
    for (target, data) in instructions { try sink.processingInstruction(target, data) }
    p = i + 1
  }

  /// Production 75, ExternalID; `nil` when neither keyword comes.
  func externalID(
    _ bytes: Span<UInt8>, _ i: inout Int
  ) throws(Failure) -> (publicID: String?, systemID: String)? {
    if try bytes.has("SYSTEM", at: i) {
      i += 6
      try requireSpace(bytes, &i)
      return (nil, try systemLiteral(bytes, &i))
    }
    guard try bytes.has("PUBLIC", at: i) else { return nil }
    i += 6
    try requireSpace(bytes, &i)
    let publicID = try publicLiteral(bytes, &i)
    try requireSpace(bytes, &i)
    return (publicID, try systemLiteral(bytes, &i))
  }

  /// Production 11, SystemLiteral.
  func systemLiteral(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> String {
    bytes.lines(try literal(bytes, &i))
  }

  /// Production 12, PubidLiteral, its white space normalised (section 4.2.2).
  func publicLiteral(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> String {
    let range = try literal(bytes, &i)
    for offset in range where !bytes[offset].isPublicID {
      throw .syntax("this character isn't allowed in a public identifier", at: offset)
    }
    return bytes.string(range).split { $0.isWhitespace }.joined(separator: " ")
  }

  /// The inside of a quoted literal.
  func literal(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> Range<Int> {
    let quote = try bytes.byte(at: i)
    guard quote == .quote || quote == .apostrophe else {
      throw .syntax("a quoted literal is expected", at: i)
    }
    guard let end = bytes.first(quote, from: i + 1) else { throw .end(at: bytes.count) }
    let start = i + 1
    i = end + 1
    return start..<end
  }
}

extension DocumentParser {
  func requireSpace(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    guard try bytes.byte(at: i).isXMLSpace else {
      throw .syntax("white space is expected", at: i)
    }
    i = bytes.skipSpace(from: i)
  }

  /// A name of an element or attribute.
  mutating func qualifiedName(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> UInt32 {
    let start = i
    let name = try self.name(bytes, &i)
    if options.namespaces, !namespaces.names.entries[Int(name)].isQualified {
      throw Failure(.namespace, "the name isn't a qualified name", at: start)
    }
    return name
  }

  /// A name of anything else, which has no colon (section 7 of Namespaces in XML).
  mutating func plainName(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> UInt32 {
    let start = i
    let name = try self.name(bytes, &i)
    let entry = namespaces.names.entries[Int(name)]
    if options.namespaces, !entry.isQualified || entry.prefix != 0 {
      throw Failure(.namespace, "this name has no colon", at: start)
    }
    return name
  }
}

extension UInt8 {
  /// Production 13, PubidChar.
  fileprivate var isPublicID: Bool {
    switch self {
    case 0x20, 0xD, 0xA, 0x61...0x7A, 0x41...0x5A, 0x30...0x39: true
    case 0x2D, 0x27, 0x28, 0x29, 0x2B, 0x2C, 0x2E, 0x2F, 0x3A, 0x3D, 0x3F, 0x3B: true
    case 0x21, 0x2A, 0x23, 0x40, 0x24, 0x5F, 0x25: true
    default: false
    }
  }
}

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
