extension DocumentParser {
  /// Production 67 in content. A character goes to the sink, an internal entity is entered.
  ///
  /// - Returns: Whether an entity was entered.
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
      guard end - start <= options.limits.nameLength else {
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

  /// What every reference to an internal entity must pass.
  func checkReference(_ index: Int, depth: Int, at offset: Int) throws(Failure) {
    let entity = type.entities[index]
    let name = { [namespaces] in namespaces.names.string(entity.name) }
    if entity.kind == .unparsed {
      throw Failure(.forbiddenReference, "the entity isn't text", at: offset, name: name())
    }
    if entity.isOpen {
      throw Failure(.recursiveEntity, "the entity contains itself", at: offset, name: name())
    }
    if depth >= options.limits.entityDepth {
      throw Failure(.limit, "entities are nested too deep", at: offset)
    }
  }

  /// The same, and the bytes are taken from the budget.
  mutating func check(_ index: Int, depth: Int, at offset: Int) throws(Failure) {
    try checkReference(index, depth: depth, at: offset)
    let documentSize = consumed + (depth == 0 ? offset : referenceOffset)
    try budget.spend(
      type.entities[index].text.count, documentSize: documentSize, limits: options.limits,
      at: offset)
  }

  /// The innermost entity has been read to its end.
  ///
  /// - Throws: A syntax error when elements begin in it and end outside.
  mutating func leaveEntity() throws(Failure) {
    guard let frame = frames.popLast() else { return }
    type.entities[frame.entity].isOpen = false
    guard open.count == frame.depth else {
      throw Failure(.syntax, "an element begins in an entity and ends outside", at: referenceOffset)
    }
  }
}
