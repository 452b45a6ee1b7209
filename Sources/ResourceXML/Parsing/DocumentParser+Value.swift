extension DocumentParser {
  /// Reads an attribute value from `i` to its quote into `scratch`, normalised (section 3.3.3).
  mutating func normalizedValue(
    _ bytes: Span<UInt8>, _ i: inout Int, _ quote: UInt8, isDocument: Bool,
    isInParameterEntity: Bool = false
  ) throws(Failure) {
    while true {
      let byte = try bytes.byte(at: i)
      switch byte {
      case quote:
        i += 1
        return
      case .lessThan:
        throw .syntax("“<” isn't allowed in attribute values", at: i)
      case .ampersand:
        let offset = isDocument ? i : referenceOffset
        let name = try valueReference(bytes, &i, isInParameterEntity: isInParameterEntity)
        if let name { try expand(name, at: offset) }
      case 0..<0x20:
        scratch.append(.space)
        let isPair = isDocument && byte == .carriageReturn && i + 1 < bytes.count
        i += isPair && bytes[i + 1] == .lineFeed ? 2 : 1
      default:
        scratch.append(byte)
        i += 1
      }
    }
  }

  /// A reference in a value: a character is appended.
  ///
  /// - Returns: The internal entity that is referred to.
  private mutating func valueReference(
    _ bytes: Span<UInt8>, _ i: inout Int, isInParameterEntity: Bool
  ) throws(Failure) -> Int? {
    let offset = i
    switch try bytes.reference(&i) {
    case .character(let scalar):
      scratch.append(scalar: scalar)
      return nil
    case .entity(let start, let end):
      let name = namespaces.names.intern(bytes, start, end)
      let index = try type.entity(
        name, namespaces.names, at: offset, isInParameterEntity: isInParameterEntity)
      if let index, type.entities[index].kind == .external {
        throw Failure(
          .forbiddenReference, "an attribute value can't refer to an external entity",
          at: offset, name: namespaces.names.string(name))
      }
      return index
    }
  }

  /// Appends the text of an entity and of those in it. The entities that are open are on a stack.
  private mutating func expand(_ entity: Int, at offset: Int) throws(Failure) {
    var stack: [Frame] = []
    try enter(entity, &stack, at: offset)
    while let frame = stack.last {
      let text = type.entities[frame.entity].text
      var i = frame.position
      let inner: Int?
      do throws(Failure) {
        inner = try expandText(text.span, &i)
      } catch {
        throw Failure(
          error.isEnd ? .syntax : error.kind, error.isEnd ? "a reference is cut" : error.message,
          at: offset, name: error.name)
      }
      if let inner {
        stack[stack.count - 1].position = i
        try enter(inner, &stack, at: offset)
      } else {
        stack.removeLast()
        type.entities[frame.entity].isOpen = false
      }
    }
  }

  private mutating func enter(
    _ entity: Int, _ stack: inout [Frame], at offset: Int
  ) throws(Failure) {
    try check(entity, depth: frames.count + stack.count, at: offset)
    type.entities[entity].isOpen = true
    stack.append(Frame(entity: entity, depth: 0))
  }

  /// Appends text up to its end or to an entity.
  private mutating func expandText(
    _ text: Span<UInt8>, _ i: inout Int
  ) throws(Failure) -> Int? {
    while i < text.count {
      let byte = text[i]
      switch byte {
      case .lessThan:
        throw .syntax("“<” isn't allowed in attribute values, also by entities", at: i)
      case .ampersand:
        if let inner = try valueReference(text, &i, isInParameterEntity: false) { return inner }
      case 0..<0x20:
        scratch.append(.space)
        i += 1
      default:
        scratch.append(byte)
        i += 1
      }
    }
    return nil
  }
}
