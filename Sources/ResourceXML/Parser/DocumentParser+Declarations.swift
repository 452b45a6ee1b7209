extension DocumentParser {
  /// Productions 45 to 51. Only the syntax is checked, because only validating processors use
  /// content models.
  mutating func elementDeclaration(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    i += 9
    try requireSpace(bytes, &i)
    _ = try qualifiedName(bytes, &i)
    try requireSpace(bytes, &i)
    if try bytes.has("EMPTY", at: i) {
      i += 5
    } else if try bytes.has("ANY", at: i) {
      i += 3
    } else if try bytes.byte(at: i) == .leftParenthesis {
      let inner = bytes.skipSpace(from: i + 1)
      if try bytes.has("#PCDATA", at: inner) {
        i = inner + 7
        try mixedContent(bytes, &i)
      } else {
        try elementContent(bytes, &i)
      }
    } else {
      throw .syntax("a content model is expected", at: i)
    }
    try endOfDeclaration(bytes, &i)
  }

  /// Production 51, Mixed, after `#PCDATA`.
  private mutating func mixedContent(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    var hasNames = false
    i = bytes.skipSpace(from: i)
    while try bytes.byte(at: i) == .bar {
      i = bytes.skipSpace(from: i + 1)
      _ = try qualifiedName(bytes, &i)
      i = bytes.skipSpace(from: i)
      hasNames = true
    }
    guard bytes[i] == .rightParenthesis else { throw .syntax("“)” is expected", at: i) }
    i += 1
    if try bytes.byte(at: i) == .asterisk {
      i += 1
    } else if hasNames {
      throw .syntax("“*” is expected", at: i)
    }
  }

  /// Productions 47 to 50, children. The separators of the open groups are on a stack; 0 is a group
  /// without one so far.
  private mutating func elementContent(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    var separators: [UInt8] = []
    repeat {
      while try bytes.byte(at: i) == .leftParenthesis {
        separators.append(0)
        i = bytes.skipSpace(from: i + 1)
      }
      _ = try qualifiedName(bytes, &i)
      try occurrence(bytes, &i)
      try closeGroups(bytes, &i, &separators)
    } while !separators.isEmpty
  }

  /// Reads what follows a particle: ends of groups, then a separator unless all groups are closed.
  private func closeGroups(
    _ bytes: Span<UInt8>, _ i: inout Int, _ separators: inout [UInt8]
  ) throws(Failure) {
    while let separator = separators.last {
      i = bytes.skipSpace(from: i)
      let byte = try bytes.byte(at: i)
      i += 1
      if byte == .rightParenthesis {
        separators.removeLast()
        try occurrence(bytes, &i)
      } else if (byte == .bar || byte == .comma) && (separator == 0 || separator == byte) {
        separators[separators.count - 1] = byte
        i = bytes.skipSpace(from: i)
        return
      } else {
        throw .syntax("“,”, “|” or “)” is expected", at: i - 1)
      }
    }
  }

  private func occurrence(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    let byte = try bytes.byte(at: i)
    if byte == .question || byte == .asterisk || byte == .plus { i += 1 }
  }
}

extension DocumentParser {
  /// Productions 52 to 60.
  mutating func attributeListDeclaration(
    _ bytes: Span<UInt8>, _ i: inout Int, isDocument: Bool
  ) throws(Failure) {
    i += 9
    try requireSpace(bytes, &i)
    let element = try qualifiedName(bytes, &i)
    // Removed from the dictionary, so that changing it doesn't copy it.
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
    if !list.isEmpty { type.attributeLists[element] = list }
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

  /// Productions 54 to 59. Returns whether the type is anything but CDATA.
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

  /// A longer keyword comes before its prefix.
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
  /// - Returns: The normalised default value; `nil` if there is none.
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

extension DocumentParser {
  func requireSpace(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    guard try bytes.byte(at: i).isXMLSpace else {
      throw .syntax("white space is expected", at: i)
    }
    i = bytes.skipSpace(from: i)
  }

  /// Reads the name of an element or attribute.
  mutating func qualifiedName(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> UInt32 {
    let start = i
    let name = try self.name(bytes, &i)
    if options.namespaces, !namespaces.names.entries[Int(name)].isQualified {
      throw Failure(.namespace, "the name isn't a qualified name", at: start)
    }
    return name
  }

  /// Reads any other name, which must not contain a colon (section 7 of Namespaces in XML).
  mutating func plainName(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> UInt32 {
    let start = i
    let name = try self.name(bytes, &i)
    let entry = namespaces.names.entries[Int(name)]
    if options.namespaces, !entry.isQualified || entry.prefix != 0 {
      throw Failure(.namespace, "this name must not contain a colon", at: start)
    }
    return name
  }
}
