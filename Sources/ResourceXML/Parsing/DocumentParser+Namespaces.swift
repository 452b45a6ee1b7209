extension DocumentParser {
  /// Gives the element and its attributes their namespaces.
  @inline(__always)
  mutating func resolve(
    _ name: UInt32, _ bytes: Span<UInt8>, at offset: Int
  ) throws(Failure) -> UInt32 {
    guard options.namespaces else { return resolveWithoutNamespaces(name) }
    guard namespaces.names.entries[Int(name)].isQualified else {
      throw Failure(.namespace, "the name isn't a qualified name", at: offset + 1)
    }
    if !attributes.isEmpty { try declareNamespaces(bytes) }
    let expanded = try namespaces.element(name, at: offset + 1)
    if !attributes.isEmpty { try resolveAttributes() }
    return expanded
  }

  private mutating func resolveWithoutNamespaces(_ name: UInt32) -> UInt32 {
    for i in attributes.indices {
      attributes[i].expanded = namespaces.number(attributes[i].name, 0, role: 1)
    }
    return namespaces.number(name, 0, role: 0)
  }

  @inline(__always)
  private mutating func declareNamespaces(_ bytes: Span<UInt8>) throws(Failure) {
    for attribute in attributes {
      let entry = namespaces.names.entries[Int(attribute.name)]
      guard entry.isQualified else {
        throw Failure(.namespace, "the name isn't a qualified name", at: attribute.nameOffset)
      }
      let isDefault = attribute.name == namespaces.xmlns
      guard isDefault || entry.prefix == namespaces.xmlns else { continue }
      let range = attribute.start..<attribute.end
      let prefix = isDefault ? 0 : entry.local
      if attribute.isScratch {
        let uri = Array(scratch[range])
        try namespaces.declare(prefix, uri.span, at: attribute.nameOffset)
      } else {
        try namespaces.declare(prefix, bytes.extracting(range), at: attribute.nameOffset)
      }
    }
  }

  @inline(__always)
  private mutating func resolveAttributes() throws(Failure) {
    var prefixed = 0
    for i in attributes.indices {
      let attribute = attributes[i]
      attributes[i].expanded = try namespaces.attribute(attribute.name, at: attribute.nameOffset)
      if namespaces.names.entries[Int(attribute.name)].prefix != 0 { prefixed += 1 }
    }
    if prefixed > 1 { try checkExpandedNames() }
  }

  /// Two attributes with the same namespace and local name (section 6.3 of Namespaces in XML).
  private mutating func checkExpandedNames() throws(Failure) {
    for attribute in attributes {
      guard namespaces.names.entries[Int(attribute.name)].prefix != 0 else { continue }
      let id = Int(namespaces.identity(of: attribute.expanded))
      while expandedStamps.count <= id { expandedStamps.append(0) }
      guard expandedStamps[id] != tagNumber else {
        throw Failure(
          .duplicateAttribute, "two attributes have one expanded name", at: attribute.nameOffset)
      }
      expandedStamps[id] = tagNumber
    }
  }
}
