extension DocumentParser {
  /// Reads the attributes and the end of the current tag into `attributes` and `scratch`; returns
  /// whether it is an empty-element tag.
  @inline(__always)
  mutating func attributes(
    _ bytes: Span<UInt8>, _ i: inout Int, isDocument: Bool
  ) throws(Failure) -> Bool {
    if !attributes.isEmpty { attributes.removeAll(keepingCapacity: true) }
    if !scratch.isEmpty { scratch.removeAll(keepingCapacity: true) }
    tagNumber &+= 1
    while true {
      let start = i
      i = bytes.skipSpace(from: i)
      switch try bytes.byte(at: i) {
      case .greaterThan:
        i &+= 1
        return false
      case .slash:
        guard try bytes.byte(at: i &+ 1) == .greaterThan else {
          throw .syntax("“>” is expected after “/”", at: i &+ 1)
        }
        i &+= 2
        return true
      default:
        guard i > start else { throw .syntax("white space is expected", at: i) }
        try attribute(bytes, &i, isDocument: isDocument)
      }
    }
  }

  /// Production 41, Attribute.
  @inline(__always)
  private mutating func attribute(
    _ bytes: Span<UInt8>, _ i: inout Int, isDocument: Bool
  ) throws(Failure) {
    let nameOffset = i
    let name = try self.name(bytes, &i)
    try equals(bytes, &i)
    let quote = try bytes.byte(at: i)
    guard quote == .quote || quote == .apostrophe else {
      throw .syntax("a quoted value is expected", at: i)
    }
    i &+= 1
    var attribute = ParsedAttribute(
      name: name, nameOffset: nameOffset, start: i, end: i, isScratch: false)
    try plainValue(bytes, &i, quote, &attribute, isDocument: isDocument)
    try stamp(name, at: nameOffset)
    attributes.append(attribute)
  }

  /// Production 25, Eq.
  @inline(__always)
  func equals(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    if try bytes.byte(at: i) != .equals { i = bytes.skipSpace(from: i) }
    guard try bytes.byte(at: i) == .equals else { throw .syntax("“=” is expected", at: i) }
    i &+= 1
    if i < bytes.count, bytes[i].isXMLSpace { i = bytes.skipSpace(from: i) }
  }

  /// Reads a value. One that needs no change stays in the input; others are copied to the scratch
  /// buffer.
  @inline(__always)
  private mutating func plainValue(
    _ bytes: Span<UInt8>, _ i: inout Int, _ quote: UInt8, _ attribute: inout ParsedAttribute,
    isDocument: Bool
  ) throws(Failure) {
    while i < bytes.count {
      let byte = bytes[i]
      if byte == quote {
        attribute.end = i
        i &+= 1
        return
      }
      if byte < 0x20 || byte == .ampersand || byte == .lessThan {
        let start = scratch.count
        scratch.append(bytes, from: attribute.start, to: i)
        try normalizedValue(bytes, &i, quote, isDocument: isDocument)
        attribute.start = start
        attribute.end = scratch.count
        attribute.isScratch = true
        return
      }
      i &+= 1
    }
    throw .end(at: bytes.count)
  }

  /// Checks that no attribute occurs twice (Unique Att Spec), in one step for each.
  @inline(__always)
  mutating func stamp(_ name: UInt32, at offset: Int) throws(Failure) {
    while stamps.count <= Int(name) { stamps.append(0) }
    guard stamps[Int(name)] != tagNumber else {
      throw Failure(
        .duplicateAttribute, "an attribute occurs twice", at: offset,
        name: namespaces.names.string(name))
    }
    stamps[Int(name)] = tagNumber
    guard attributes.count < options.maximumAttributes else {
      throw Failure(.limit, "an element has too many attributes", at: offset)
    }
  }
}

extension DocumentParser {
  /// Applies the types and defaults that the document type declares for the element.
  mutating func applyDeclarations(
    _ element: UInt32, _ bytes: Span<UInt8>, at offset: Int
  ) throws(Failure) {
    guard let list = type.attributeLists[element] else { return }
    for i in attributes.indices where list.isTokenized(attributes[i].name) {
      attributes[i] = tokenized(attributes[i], bytes)
    }
    for (name, value) in list.defaults {
      while stamps.count <= Int(name) { stamps.append(0) }
      guard stamps[Int(name)] != tagNumber else { continue }
      try budget.spend(
        value.count, documentSize: consumed + offset, limits: options, at: offset)
      try stamp(name, at: offset)
      let start = scratch.count
      scratch.append(contentsOf: value)
      attributes.append(
        ParsedAttribute(
          name: name, nameOffset: offset, start: start, end: scratch.count,
          isScratch: true, isSpecified: false))
    }
  }

  /// Removes spaces at the ends and all but one between words (section 3.3.3).
  private mutating func tokenized(
    _ attribute: ParsedAttribute, _ bytes: Span<UInt8>
  ) -> ParsedAttribute {
    var attribute = attribute
    let start = scratch.count
    for i in attribute.start..<attribute.end {
      let byte = attribute.isScratch ? scratch[i] : bytes[i]
      if byte != .space {
        scratch.append(byte)
      } else if scratch.count > start, scratch[scratch.count - 1] != .space {
        scratch.append(.space)
      }
    }
    if scratch.count > start, scratch[scratch.count - 1] == .space { scratch.removeLast() }
    attribute.start = start
    attribute.end = scratch.count
    attribute.isScratch = true
    return attribute
  }
}

extension DocumentParser {
  /// Resolves the namespaces of an element and its attributes.
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

  /// Refuses two attributes with the same namespace and local name (section 6.3 of Namespaces in
  /// XML).
  private mutating func checkExpandedNames() throws(Failure) {
    for attribute in attributes {
      guard namespaces.names.entries[Int(attribute.name)].prefix != 0 else { continue }
      let id = Int(namespaces.identity(of: attribute.expanded))
      while expandedStamps.count <= id { expandedStamps.append(0) }
      guard expandedStamps[id] != tagNumber else {
        throw Failure(
          .duplicateAttribute, "two attributes have the same expanded name",
          at: attribute.nameOffset)
      }
      expandedStamps[id] = tagNumber
    }
  }
}
