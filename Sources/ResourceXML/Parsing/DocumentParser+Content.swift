extension DocumentParser {
  /// Production 43, from `p` to the end of `bytes`, to an entity, or to the end of the root.
  ///
  /// - Returns: Whether an entity was entered.
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

  /// Whether `]]>` stands at `i`.
  ///
  /// - Throws: The end, once what comes before is emitted, when it can't be told yet.
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

  /// A CR: with a LF behind it or alone it is one line feed (section 2.11). The text of an entity
  /// has been through this, a CR in it is meant.
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
  func place(_ offset: Int, isDocument: Bool) -> Place {
    Place(
      offset: isDocument ? offset : referenceOffset, isDocument: isDocument,
      isLiteral: isInsideCDATA)
  }
}
