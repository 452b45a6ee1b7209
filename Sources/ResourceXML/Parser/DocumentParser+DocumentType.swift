extension DocumentParser {
  /// Production 28. The declaration is read in one piece, so an incomplete one changes nothing.
  mutating func documentType<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    var fresh = InternalSubset()
    fresh.isStandalone = type.isStandalone
    type = fresh
    budget.spent = 0

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
}

extension DocumentParser {
  /// A parameter entity that is being read between declarations.
  private struct SubsetFrame {
    var entity: Int
    var position = 0
    /// Conditional sections that are open in it.
    var sections = 0
  }

  /// Production 28b, from after `[` to after `]`.
  mutating func subset(
    _ document: Span<UInt8>, _ i: inout Int, _ instructions: inout [(String, String)]
  ) throws(Failure) {
    var stack: [SubsetFrame] = []
    while true {
      let next: Int?
      if var frame = stack.last {
        let text = type.entities[frame.entity].text
        do throws(Failure) {
          next = try declarations(
            text.span, &frame.position, &instructions, sections: &frame.sections)
        } catch {
          throw inParameterEntity(error)
        }
        stack[stack.count - 1] = frame
      } else {
        var sections = 0
        next = try declarations(document, &i, &instructions, sections: &sections, isDocument: true)
      }
      if let next {
        try check(next, depth: stack.count, at: stack.isEmpty ? i : referenceOffset)
        type.entities[next].isOpen = true
        if stack.isEmpty { referenceOffset = i }
        stack.append(SubsetFrame(entity: next))
      } else if let frame = stack.popLast() {
        type.entities[frame.entity].isOpen = false
      } else {
        return
      }
    }
  }

  private func inParameterEntity(_ failure: Failure) -> Failure {
    guard failure.isEnd else {
      var failure = failure
      failure.offset = referenceOffset
      return failure
    }
    return .syntax("a parameter entity ends inside a declaration", at: referenceOffset)
  }

  /// Reads declarations up to the end of the text or a parameter entity to enter.
  private mutating func declarations(
    _ bytes: Span<UInt8>, _ i: inout Int, _ instructions: inout [(String, String)],
    sections: inout Int, isDocument: Bool = false
  ) throws(Failure) -> Int? {
    while true {
      i = bytes.skipSpace(from: i)
      if i == bytes.count, !isDocument, sections == 0 { return nil }
      switch try bytes.byte(at: i) {
      case .rightBracket:
        if try closeBracket(bytes, &i, sections: &sections, isDocument: isDocument) { return nil }
      case .percent:
        if let entity = try parameterReference(bytes, &i) { return entity }
      case .lessThan:
        try markupDeclaration(
          bytes, &i, &instructions, sections: &sections, isDocument: isDocument)
      default:
        throw .syntax("a declaration is expected", at: i)
      }
    }
  }

  /// - Returns: Whether the subset has ended.
  private func closeBracket(
    _ bytes: Span<UInt8>, _ i: inout Int, sections: inout Int, isDocument: Bool
  ) throws(Failure) -> Bool {
    if isDocument {
      i += 1
      return true
    }
    guard sections > 0, try bytes.has("]]>", at: i) else {
      throw .syntax("“]” isn't allowed here", at: i)
    }
    sections -= 1
    i += 3
    return false
  }

  /// Production 69 between declarations.
  ///
  /// - Returns: The entity to read; `nil` if it is external or unknown, and isn't read.
  private mutating func parameterReference(
    _ bytes: Span<UInt8>, _ i: inout Int
  ) throws(Failure) -> Int? {
    var p = i + 1
    let name = try plainName(bytes, &p)
    guard try bytes.byte(at: p) == .semicolon else { throw .syntax("“;” is expected", at: p) }
    i = p + 1
    type.hasParameterReference = true
    guard let index = type.parameters[name], type.entities[index].kind == .internal else {
      type.hasUnreadReference = true
      return nil
    }
    return index
  }

  /// Production 29, and 61 inside parameter entities.
  private mutating func markupDeclaration(
    _ bytes: Span<UInt8>, _ i: inout Int, _ instructions: inout [(String, String)],
    sections: inout Int, isDocument: Bool
  ) throws(Failure) {
    if try bytes.byte(at: i + 1) == .question {
      instructions.append(try instruction(bytes, &i))
    } else if try bytes.has("<!-", at: i) {
      _ = try bytes.comment(&i)
    } else if try bytes.has("<!ELEMENT", at: i) {
      try elementDeclaration(bytes, &i)
    } else if try bytes.has("<!ATTLIST", at: i) {
      try attributeListDeclaration(bytes, &i, isDocument: isDocument)
    } else if try bytes.has("<!ENTITY", at: i) {
      try entityDeclaration(bytes, &i, isDocument: isDocument)
    } else if try bytes.has("<!NOTATION", at: i) {
      try notationDeclaration(bytes, &i)
    } else if !isDocument, try bytes.has("<![", at: i) {
      try conditionalSection(bytes, &i, sections: &sections)
    } else {
      throw .syntax("this markup isn't allowed in a document type", at: i)
    }
  }

  /// Productions 62 and 63. An included section is left open, an ignored one is skipped.
  private func conditionalSection(
    _ bytes: Span<UInt8>, _ i: inout Int, sections: inout Int
  ) throws(Failure) {
    var p = bytes.skipSpace(from: i + 3)
    let isIncluded = try bytes.has("INCLUDE", at: p)
    if !isIncluded, try !bytes.has("IGNORE", at: p) {
      throw .syntax("INCLUDE or IGNORE is expected", at: p)
    }
    p = bytes.skipSpace(from: p + (isIncluded ? 7 : 6))
    guard try bytes.byte(at: p) == .leftBracket else { throw .syntax("“[” is expected", at: p) }
    i = p + 1
    if isIncluded {
      sections += 1
    } else {
      try skipIgnored(bytes, &i)
    }
  }

  private func skipIgnored(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    var depth = 1
    while depth > 0 {
      if try bytes.byte(at: i) == .lessThan, try bytes.has("<![", at: i) {
        depth += 1
        i += 3
      } else if try bytes.byte(at: i) == .rightBracket, try bytes.has("]]>", at: i) {
        depth -= 1
        i += 3
      } else {
        i += 1
      }
    }
  }
}
