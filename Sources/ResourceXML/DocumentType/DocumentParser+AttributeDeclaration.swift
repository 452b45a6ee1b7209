extension DocumentParser {
  /// Productions 52 to 60.
  mutating func attributeListDeclaration(
    _ bytes: Span<UInt8>, _ i: inout Int, isDocument: Bool
  ) throws(Failure) {
    i += 9
    try requireSpace(bytes, &i)
    let element = try qualifiedName(bytes, &i)
    // Taken out for the time, so that declaring doesn't copy it.
    var list = type.attributeLists.removeValue(forKey: element) ?? AttributeList()
    while true {
      let start = i
      i = bytes.skipSpace(from: i)
      if try bytes.byte(at: i) == .greaterThan { break }
      guard i > start else { throw .syntax("white space is expected", at: i) }
      let declaration = try attributeDefinition(bytes, &i, isDocument: isDocument)
      if type.isDeclaring { list.declare(declaration) }
    }
    i += 1
    if !list.declarations.isEmpty { type.attributeLists[element] = list }
  }

  /// Production 53, AttDef.
  private mutating func attributeDefinition(
    _ bytes: Span<UInt8>, _ i: inout Int, isDocument: Bool
  ) throws(Failure) -> AttributeList.Declaration {
    let name = try qualifiedName(bytes, &i)
    try requireSpace(bytes, &i)
    let isTokenized = try attributeType(bytes, &i)
    try requireSpace(bytes, &i)
    var declaration = AttributeList.Declaration(name: name, isTokenized: isTokenized)
    declaration.value = try defaultValue(
      bytes, &i, isTokenized: isTokenized, isDocument: isDocument)
    return declaration
  }

  /// Productions 54 to 59.
  ///
  /// - Returns: Whether it is another type than CDATA.
  private mutating func attributeType(
    _ bytes: Span<UInt8>, _ i: inout Int
  ) throws(Failure) -> Bool {
    if try bytes.byte(at: i) == .leftParenthesis {
      try enumeration(bytes, &i, isOfNames: false)
      return true
    }
    if try bytes.has("NOTATION", at: i) {
      i += 8
      try requireSpace(bytes, &i)
      try enumeration(bytes, &i, isOfNames: true)
      return true
    }
    for keyword in DocumentParser.typeKeywords where try bytes.has(keyword, at: i) {
      i += keyword.utf8CodeUnitCount
      return keyword.utf8CodeUnitCount != 5 || keyword.byte(at: 0) != 0x43
    }
    throw .syntax("an attribute type is expected", at: i)
  }

  /// A longer keyword before its own beginning.
  private static let typeKeywords: [StaticString] = [
    "CDATA", "IDREFS", "IDREF", "ID", "ENTITIES", "ENTITY", "NMTOKENS", "NMTOKEN",
  ]

  /// Production 59, or the names of 58.
  private mutating func enumeration(
    _ bytes: Span<UInt8>, _ i: inout Int, isOfNames: Bool
  ) throws(Failure) {
    guard try bytes.byte(at: i) == .leftParenthesis else {
      throw .syntax("“(” is expected", at: i)
    }
    repeat {
      i = bytes.skipSpace(from: i + 1)
      if isOfNames {
        _ = try plainName(bytes, &i)
      } else {
        let end = try bytes.nameTokenEnd(from: i)
        guard end > i else { throw .syntax("a name token is expected", at: i) }
        i = end
      }
      i = bytes.skipSpace(from: i)
    } while try bytes.byte(at: i) == .bar
    guard bytes[i] == .rightParenthesis else { throw .syntax("“)” is expected", at: i) }
    i += 1
  }

  /// Production 60, DefaultDecl.
  ///
  /// - Returns: The default value, normalised, `nil` when there is none.
  private mutating func defaultValue(
    _ bytes: Span<UInt8>, _ i: inout Int, isTokenized: Bool, isDocument: Bool
  ) throws(Failure) -> [UInt8]? {
    if try bytes.byte(at: i) == .hash {
      for keyword in ["#REQUIRED", "#IMPLIED"] as [StaticString]
      where try bytes.has(keyword, at: i) {
        i += keyword.utf8CodeUnitCount
        return nil
      }
      guard try bytes.has("#FIXED", at: i) else { throw .syntax("a default is expected", at: i) }
      i += 6
      try requireSpace(bytes, &i)
    }
    let quote = try bytes.byte(at: i)
    guard quote == .quote || quote == .apostrophe else {
      throw .syntax("a default is expected", at: i)
    }
    i += 1
    scratch.removeAll(keepingCapacity: true)
    try normalizedValue(
      bytes, &i, quote, isDocument: isDocument, isInParameterEntity: !isDocument)
    guard isTokenized else { return scratch }
    return Array(scratch.split(separator: .space).joined(separator: [.space]))
  }
}

/// What the document type declares about the attributes of one element.
struct AttributeList: Sendable {
  struct Declaration: Sendable {
    var name: UInt32
    /// Whether values are normalised further, because the type isn't CDATA (section 3.3.3).
    var isTokenized: Bool
    /// The default value, normalised.
    var value: [UInt8]?
  }

  private(set) var declarations: [Declaration] = []
  private var positions: [UInt32: Int] = [:]

  /// Adds a declaration; the first one of a name is binding (section 3.3).
  mutating func declare(_ declaration: Declaration) {
    guard positions[declaration.name] == nil else { return }
    positions[declaration.name] = declarations.count
    declarations.append(declaration)
  }

  func isTokenized(_ name: UInt32) -> Bool {
    positions[name].map { declarations[$0].isTokenized } ?? false
  }
}
