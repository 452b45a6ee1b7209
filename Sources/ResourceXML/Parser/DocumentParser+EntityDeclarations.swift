extension DocumentParser {
  /// Productions 70 to 76.
  mutating func entityDeclaration(
    _ bytes: Span<UInt8>, _ i: inout Int, isDocument: Bool
  ) throws(Failure) {
    i += 8
    try requireSpace(bytes, &i)
    let isParameter = try bytes.byte(at: i) == .percent
    if isParameter {
      i += 1
      try requireSpace(bytes, &i)
    }
    var entity = Entity(name: try plainName(bytes, &i), kind: .internal)
    entity.isFromParameterEntity = !isDocument
    try requireSpace(bytes, &i)
    if try externalID(bytes, &i) != nil {
      entity.kind = .external
      try unparsedNotation(bytes, &i, &entity, isParameter: isParameter)
    } else {
      entity.text = try entityValue(bytes, &i, isDocument: isDocument)
    }
    try endOfDeclaration(bytes, &i)
    if isParameter {
      type.declare(parameter: entity)
    } else {
      type.declare(general: entity)
    }
  }

  /// Production 76, NDataDecl, which parameter entities can't have.
  private mutating func unparsedNotation(
    _ bytes: Span<UInt8>, _ i: inout Int, _ entity: inout Entity, isParameter: Bool
  ) throws(Failure) {
    let start = i
    let p = bytes.skipSpace(from: i)
    guard try bytes.byte(at: p) != .greaterThan else { return }
    guard p > start, try bytes.has("NDATA", at: p), !isParameter else {
      throw .syntax("“>” is expected", at: p)
    }
    i = p + 5
    try requireSpace(bytes, &i)
    _ = try plainName(bytes, &i)
    entity.kind = .unparsed
  }

  /// Production 9, EntityValue: the replacement text. Character references are replaced; references
  /// to general entities aren't (section 4.5).
  private mutating func entityValue(
    _ bytes: Span<UInt8>, _ i: inout Int, isDocument: Bool
  ) throws(Failure) -> [UInt8] {
    let quote = try bytes.byte(at: i)
    guard quote == .quote || quote == .apostrophe else {
      throw .syntax("an entity value is expected", at: i)
    }
    i += 1
    var text: [UInt8] = []
    while true {
      let byte = try bytes.byte(at: i)
      switch byte {
      case quote:
        i += 1
        return text
      case .percent:
        throw Failure(
          .forbiddenReference, "parameter entities aren't allowed inside declarations", at: i)
      case .ampersand:
        try valueReference(bytes, &i, &text)
      case .carriageReturn where isDocument:
        if try bytes.byte(at: i + 1) != .lineFeed { text.append(.lineFeed) }
        i += 1
      default:
        text.append(byte)
        i += 1
      }
    }
  }

  private func valueReference(
    _ bytes: Span<UInt8>, _ i: inout Int, _ text: inout [UInt8]
  ) throws(Failure) {
    let start = i
    let isCharacter = try bytes.byte(at: start + 1) == .hash
    if case .character(let scalar) = try bytes.reference(&i), isCharacter {
      text.append(scalar: scalar)
    } else {
      text.append(bytes, from: start, to: i)
    }
  }

  /// Production 82.
  mutating func notationDeclaration(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    i += 10
    try requireSpace(bytes, &i)
    let name = try plainName(bytes, &i)
    try requireSpace(bytes, &i)
    var notation = XMLEvent.Notation(name: namespaces.names.string(name))
    if try bytes.has("PUBLIC", at: i) {
      i += 6
      try requireSpace(bytes, &i)
      notation.publicID = try publicLiteral(bytes, &i)
      let p = bytes.skipSpace(from: i)
      if p > i, try bytes.byte(at: p) != .greaterThan {
        i = p
        notation.systemID = try systemLiteral(bytes, &i)
      }
    } else if let id = try externalID(bytes, &i) {
      notation.systemID = id.systemID
    } else {
      throw .syntax("SYSTEM or PUBLIC is expected", at: i)
    }
    try endOfDeclaration(bytes, &i)
    type.declare(notation)
  }

  /// White space and `>`.
  func endOfDeclaration(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    i = bytes.skipSpace(from: i)
    guard try bytes.byte(at: i) == .greaterThan else { throw .syntax("“>” is expected", at: i) }
    i += 1
  }
}

extension DocumentParser {
  /// Production 75, ExternalID; `nil` if neither keyword follows.
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

  /// Production 12, PubidLiteral, with white space normalised (section 4.2.2).
  func publicLiteral(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> String {
    let range = try literal(bytes, &i)
    for offset in range where !bytes[offset].isPublicID {
      throw .syntax("this character isn't allowed in a public identifier", at: offset)
    }
    return bytes.string(range).split { $0.isWhitespace }.joined(separator: " ")
  }

  /// Returns the range inside the quotes of a literal.
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
