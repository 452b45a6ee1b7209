extension DocumentParser {
  /// One token before or behind the root (productions 22 and 27).
  mutating func outside<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    if phase == .start {
      if try isDeclaration(bytes, p) {
        try declaration(bytes, &p, &sink)
      } else {
        try encoding.checkAbsence(at: p)
      }
      phase = .prolog
      return
    }
    guard !bytes[p].isXMLSpace else {
      p = bytes.skipSpace(from: p)
      return
    }
    guard bytes[p] == .lessThan else {
      throw .syntax(
        phase == .epilog
          ? "text isn't allowed behind the root" : "text isn't allowed before the root", at: p)
    }
    switch try bytes.byte(at: p + 1) {
    case .question: try processingInstruction(bytes, &p, &sink)
    case .exclamation: try declarationOutside(bytes, &p, &sink)
    default: try rootTag(bytes, &p, &sink)
    }
  }

  private mutating func rootTag<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    guard phase == .prolog else {
      throw .syntax("markup isn't allowed behind the root", at: p)
    }
    guard bytes[p + 1] != .slash else {
      throw Failure(.mismatchedTag, "an end tag has no start tag here", at: p)
    }
    try startTag(bytes, &p, isDocument: true, &sink)
  }

  private mutating func declarationOutside<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    if try bytes.has("<!-", at: p) {
      try comment(bytes, &p, &sink)
    } else if try bytes.has("<!DOCTYPE", at: p) {
      guard phase == .prolog, !hasDocumentType else {
        throw .syntax("a document type declaration isn't allowed here", at: p)
      }
      guard options.allowsDocumentTypes else {
        throw Failure(.documentType, "document types are refused", at: p)
      }
      try documentType(bytes, &p, &sink)
      hasDocumentType = true
    } else {
      throw .syntax("this markup isn't allowed outside the root", at: p)
    }
  }

  /// Production 15. Two hyphens end a comment, and nothing else may have two.
  mutating func comment<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    var i = p
    let range = try bytes.comment(&i)
    try sink.comment(bytes.lines(range))
    p = i
  }

  /// Production 16.
  mutating func processingInstruction<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    var i = p
    let (target, data) = try instruction(bytes, &i)
    try sink.processingInstruction(target, data)
    p = i
  }

  /// A processing instruction at `i`, which moves behind it.
  func instruction(
    _ bytes: Span<UInt8>, _ i: inout Int
  ) throws(Failure) -> (target: String, data: String) {
    let start = i + 2
    let nameEnd = try bytes.nameEnd(from: start)
    let target = bytes.string(start..<nameEnd)
    if target.utf8.count == 3, target.lowercased() == "xml" {
      throw .syntax(
        target == "xml"
          ? "an XML declaration must stand at the very beginning" : "the target “xml” is reserved",
        at: i)
    }
    if options.namespaces, target.utf8.contains(.colon) {
      throw Failure(.namespace, "a target has no colon", at: start)
    }
    var end = bytes.skipSpace(from: nameEnd)
    if end == nameEnd, try !bytes.has("?>", at: end) {
      throw .syntax("white space or “?>” is expected", at: end)
    }
    let dataStart = end
    while true {
      guard let mark = bytes.first(.question, from: end) else { throw .end(at: bytes.count) }
      end = mark
      if try bytes.byte(at: mark + 1) == .greaterThan { break }
      end += 1
    }
    i = end + 2
    return (target, bytes.lines(dataStart..<end))
  }
}
