extension DocumentParser {
  /// Production 67 in content. A character is sent to the sink; an internal entity is entered, and
  /// `true` is returned.
  mutating func reference<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) -> Bool {
    var i = p
    let place = place(p, isDocument: isDocument)
    switch try bytes.reference(&i) {
    case .character(let scalar):
      try sink.character(scalar, at: place)
      p = i
      return false
    case .entity(let start, let end):
      guard end - start <= options.maximumNameLength else {
        throw Failure(.limit, "a name is too long", at: p)
      }
      let name = namespaces.names.intern(bytes, start, end)
      let index = try type.entity(name, namespaces.names, at: p)
      if frames.isEmpty { referenceOffset = p }
      guard let index, type.entities[index].kind != .external else {
        try sink.skippedEntity(namespaces.names.string(name))
        p = i
        return false
      }
      try enter(index, at: p)
      p = i
      return true
    }
  }

  private mutating func enter(_ index: Int, at offset: Int) throws(Failure) {
    try check(index, depth: frames.count, at: offset)
    type.entities[index].isOpen = true
    frames.append(Frame(entity: index, depth: open.count))
  }

  /// Checks that an entity may be referred to (it is text, not recursive and not nested too deep),
  /// and charges its bytes to the expansion budget.
  mutating func check(_ index: Int, depth: Int, at offset: Int) throws(Failure) {
    let entity = type.entities[index]
    let name = { [namespaces] in namespaces.names.string(entity.name) }
    if entity.kind == .unparsed {
      throw Failure(.forbiddenReference, "the entity isn't text", at: offset, name: name())
    }
    if entity.isOpen {
      throw Failure(.recursiveEntity, "the entity contains itself", at: offset, name: name())
    }
    if depth >= options.maximumEntityDepth {
      throw Failure(.limit, "entities are nested too deep", at: offset)
    }
    let documentSize = consumed + (depth == 0 ? offset : referenceOffset)
    try budget.spend(
      entity.text.count, documentSize: documentSize, limits: options, at: offset)
  }

  /// Leaves the innermost entity, which has been read to its end.
  mutating func leaveEntity() throws(Failure) {
    guard let frame = frames.popLast() else { return }
    type.entities[frame.entity].isOpen = false
    guard open.count == frame.depth else {
      throw Failure(.syntax, "an element begins in an entity and ends outside", at: referenceOffset)
    }
  }
}

/// A reference that isn't resolved yet.
enum ParsedReference {
  /// A character reference or one of the five predefined entities.
  case character(UInt32)
  /// The range of a name.
  case entity(Int, Int)
}

extension Span<UInt8> {
  /// Reads the reference whose `&` is at `i`, and moves `i` after its `;`.
  func reference(_ i: inout Int) throws(Failure) -> ParsedReference {
    if try byte(at: i + 1) == .hash { return .character(try characterReference(&i)) }
    let start = i + 1
    let end = try nameEnd(from: start)
    guard try byte(at: end) == .semicolon else {
      throw .syntax("“;” is expected", at: end)
    }
    i = end + 1
    if end - start <= 4, let scalar = predefined(start, end) { return .character(scalar) }
    return .entity(start, end)
  }

  /// Production 66, CharRef.
  private func characterReference(_ i: inout Int) throws(Failure) -> UInt32 {
    let isHexadecimal = try byte(at: i + 2) == 0x78
    let start = i + (isHexadecimal ? 3 : 2)
    var p = start
    var value: UInt32 = 0
    while let digit = try byte(at: p).digitValue(isHexadecimal: isHexadecimal) {
      value = Swift.min(value * (isHexadecimal ? 16 : 10) + digit, 0x110000)
      p += 1
    }
    guard p > start, self[p] == .semicolon else {
      throw .syntax("this isn't a character reference", at: i)
    }
    guard value.isXMLCharacter else {
      throw Failure(.invalidCharacter, "the reference isn't to a character that XML allows", at: i)
    }
    i = p + 1
    return value
  }

  /// Section 4.6.
  private func predefined(_ start: Int, _ end: Int) -> UInt32? {
    switch paddedWord(from: start, to: end) {
    case 0x746C: 0x3C  // lt
    case 0x7467: 0x3E  // gt
    case 0x706D61: 0x26  // amp
    case 0x746F_7571: 0x22  // quot
    case 0x736F_7061: 0x27  // apos
    default: nil
    }
  }
}

extension UInt8 {
  fileprivate func digitValue(isHexadecimal: Bool) -> UInt32? {
    if isASCIIDigit { return UInt32(self &- 0x30) }
    let letter = (self | 0x20) &- 0x61
    return isHexadecimal && letter < 6 ? UInt32(letter) + 10 : nil
  }
}

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

  /// Reads a reference in a value. A character is appended; an internal entity is returned.
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

  /// Appends the text of an entity and of the entities inside it. Open entities are on a stack.
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
          error.isEnd ? .syntax : error.kind,
          error.isEnd ? "a reference is incomplete" : error.message,
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
        throw .syntax("“<” isn't allowed in attribute values, even in entities", at: i)
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
