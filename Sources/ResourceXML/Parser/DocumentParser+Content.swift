extension DocumentParser {
  /// Production 43, up to the end of `bytes`, an entity, or the end of the root. Returns whether an
  /// entity was entered.
  @inline(__always)
  mutating func content<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) -> Bool {
    while p < bytes.count, phase == .content {
      if isInsideCDATA {
        try sectionText(bytes, &p, isDocument: isDocument, &sink)
        continue
      }
      switch bytes[p] {
      case .lessThan:
        try markup(bytes, &p, isDocument: isDocument, &sink)
      case .ampersand:
        if try reference(bytes, &p, isDocument: isDocument, &sink) { return true }
      default:
        try text(bytes, &p, isDocument: isDocument, &sink)
      }
    }
    if !isDocument, isInsideCDATA { throw .end(at: bytes.count) }
    return false
  }

  @inline(__always)
  private mutating func markup<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) {
    switch try bytes.byte(at: p &+ 1) {
    case .slash: try endTag(bytes, &p, &sink)
    case .exclamation:
      if try bytes.has("<!-", at: p) {
        try comment(bytes, &p, &sink)
      } else if try bytes.has("<![CDATA[", at: p) {
        isInsideCDATA = true
        p += 9
      } else {
        throw .syntax("this markup isn't allowed in content", at: p)
      }
    case .question: try processingInstruction(bytes, &p, &sink)
    default: try startTag(bytes, &p, isDocument: isDocument, &sink)
    }
  }

  /// Production 14, CharData.
  @inline(__always)
  private mutating func text<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) {
    var i = bytes.textEnd(from: p)
    while i < bytes.count, bytes[i] == .rightBracket {
      if try isSectionEnd(bytes, i, &p, isDocument: isDocument, &sink) {
        throw .syntax("“]]>” isn't allowed in text", at: i)
      }
      i = bytes.textEnd(from: i &+ 1)
    }
    if i < bytes.count, bytes[i] == .carriageReturn {
      try lineEnd(bytes, i, &p, isDocument: isDocument, &sink)
    } else {
      try emit(bytes, &p, to: i, isDocument: isDocument, &sink)
    }
  }

  /// The text of a CDATA section (productions 18 to 21), or its end.
  private mutating func sectionText<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) {
    var i = bytes.textEnd(from: p)
    while i < bytes.count, bytes[i] != .carriageReturn {
      if bytes[i] == .rightBracket,
        try isSectionEnd(bytes, i, &p, isDocument: isDocument, &sink)
      {
        try emit(bytes, &p, to: i, isDocument: isDocument, &sink)
        p = i + 3
        isInsideCDATA = false
        return
      }
      i = bytes.textEnd(from: i + 1)
    }
    if i < bytes.count {
      try lineEnd(bytes, i, &p, isDocument: isDocument, &sink)
    } else {
      try emit(bytes, &p, to: i, isDocument: isDocument, &sink)
    }
  }

  /// Returns whether `]]>` is at `i`.
  private mutating func isSectionEnd<S: EventSink>(
    _ bytes: Span<UInt8>, _ i: Int, _ p: inout Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) -> Bool {
    do throws(Failure) {
      return try bytes.has("]]>", at: i)
    } catch {
      guard isDocument else { return false }
      try emit(bytes, &p, to: i, isDocument: isDocument, &sink)
      throw error
    }
  }

  /// Replaces CR and CR LF with one line feed (section 2.11). Line ends in an entity's text are
  /// already normalised, so a CR there is a character.
  private mutating func lineEnd<S: EventSink>(
    _ bytes: Span<UInt8>, _ i: Int, _ p: inout Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) {
    guard isDocument else {
      return try emit(bytes, &p, to: i + 1, isDocument: isDocument, &sink)
    }
    try emit(bytes, &p, to: i, isDocument: isDocument, &sink)
    let isPair = try bytes.byte(at: i + 1) == .lineFeed
    if isPair {
      p = i + 1
    } else {
      try sink.character(0xA, at: place(i, isDocument: true))
      p = i + 1
    }
  }

  @inline(__always)
  private mutating func emit<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, to end: Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) {
    guard p < end else { return }
    try sink.text(bytes, p, end, at: place(p, isDocument: isDocument))
    p = end
  }

  @inline(__always)
  func place(_ offset: Int, isDocument: Bool) -> SourceLocation {
    SourceLocation(
      offset: isDocument ? offset : referenceOffset, isDocument: isDocument,
      isLiteral: isInsideCDATA)
  }
}

extension DocumentParser {
  /// Productions 40 and 44, a start tag or an empty-element tag.
  @inline(__always)
  mutating func startTag<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, isDocument: Bool, _ sink: inout S
  ) throws(Failure) {
    let spent = budget.spent
    do throws(Failure) {
      var i = p &+ 1
      let name = try self.name(bytes, &i)
      let isEmpty = try attributes(bytes, &i, isDocument: isDocument)
      try open(name, isEmpty: isEmpty, bytes, at: p, isDocument: isDocument, &sink)
      p = i
    } catch {
      // The tag will be read again from its beginning.
      budget.spent = spent
      throw error
    }
  }

  /// Production 42, an end tag.
  @inline(__always)
  mutating func endTag<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    guard let element = open.last, open.count > (frames.last?.depth ?? 0) else {
      throw Failure(.mismatchedTag, "an end tag has no start tag here", at: p)
    }
    var i = try matchName(of: element.name, bytes, from: p)
    if i < bytes.count, bytes[i] != .greaterThan { i = bytes.skipSpace(from: i) }
    guard try bytes.byte(at: i) == .greaterThan else {
      throw mismatch(element.name, at: p)
    }
    open.removeLast()
    try close(element, &sink)
    p = i &+ 1
  }

  /// Returns where the open element's name ends in an end tag.
  @inline(__always)
  private func matchName(
    of name: UInt32, _ bytes: Span<UInt8>, from p: Int
  ) throws(Failure) -> Int {
    let entry = namespaces.names.entries[Int(name)]
    let length = Int(entry.length)
    let start = p &+ 2
    if length <= 8, start &+ 8 <= bytes.count {
      guard bytes.paddedWord(from: start, to: start &+ length) == entry.head else {
        throw mismatch(name, at: p)
      }
      return start &+ length
    }
    for i in 0..<length {
      guard start + i < bytes.count else { throw .end(at: bytes.count) }
      guard bytes[start + i] == namespaces.names.bytes[Int(entry.offset) + i] else {
        throw mismatch(name, at: p)
      }
    }
    return start + length
  }

  private func mismatch(_ name: UInt32, at offset: Int) -> Failure {
    Failure(
      .mismatchedTag, "the end tag doesn't match the open element", at: offset,
      name: namespaces.names.string(name))
  }

  /// Reads the name at `i`, and moves `i` after it.
  @inline(__always)
  mutating func name(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) -> UInt32 {
    let end = try bytes.nameEnd(from: i)
    guard end &- i <= options.maximumNameLength else {
      throw Failure(.limit, "a name is too long", at: i)
    }
    let name = namespaces.names.intern(bytes, i, end)
    i = end
    return name
  }
}

extension DocumentParser {
  /// Opens an element after its tag has been read: applies defaults, resolves namespaces, and calls
  /// the sink.
  @inline(__always)
  private mutating func open<S: EventSink>(
    _ name: UInt32, isEmpty: Bool, _ bytes: Span<UInt8>, at offset: Int, isDocument: Bool,
    _ sink: inout S
  ) throws(Failure) {
    guard open.count < options.maximumDepth else {
      throw Failure(.limit, "elements are nested too deep", at: offset)
    }
    if !type.attributeLists.isEmpty { try applyDeclarations(name, bytes, at: offset) }
    let mark = namespaces.mark
    let expanded = try resolve(name, bytes, at: offset)
    let element = OpenElement(name: name, expanded: expanded, mark: mark)
    phase = .content
    try sink.startElement(
      expanded, attributes, bytes, scratch, namespaces,
      at: place(offset, isDocument: isDocument))
    if isEmpty {
      try close(element, &sink)
    } else {
      open.append(element)
    }
  }

  @inline(__always)
  private mutating func close<S: EventSink>(
    _ element: OpenElement, _ sink: inout S
  ) throws(Failure) {
    if namespaces.mark != element.mark { namespaces.unbind(to: element.mark) }
    try sink.endElement(element.expanded, namespaces)
    if open.isEmpty { phase = .epilog }
  }
}
