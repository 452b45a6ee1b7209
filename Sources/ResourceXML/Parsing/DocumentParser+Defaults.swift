extension DocumentParser {
  /// Applies what the document type declares for the element: types and defaults.
  mutating func applyDeclarations(
    _ element: UInt32, _ bytes: Span<UInt8>, at offset: Int
  ) throws(Failure) {
    guard let list = type.attributeLists[element] else { return }
    for i in attributes.indices where list.isTokenized(attributes[i].name) {
      attributes[i] = tokenized(attributes[i], bytes)
    }
    for declaration in list.declarations {
      guard let value = declaration.value else { continue }
      while stamps.count <= Int(declaration.name) { stamps.append(0) }
      guard stamps[Int(declaration.name)] != tagNumber else { continue }
      try budget.spend(
        value.count, documentSize: consumed + offset, limits: options.limits, at: offset)
      try stamp(declaration.name, at: offset)
      let start = scratch.count
      scratch.append(contentsOf: value)
      attributes.append(
        ParsedAttribute(
          name: declaration.name, nameOffset: offset, start: start, end: scratch.count,
          isScratch: true, isSpecified: false))
    }
  }

  /// Drops spaces at the ends and all but one between (section 3.3.3).
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
