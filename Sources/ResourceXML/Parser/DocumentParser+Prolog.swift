extension DocumentParser {
  /// Reads one token before or after the root element (productions 22 and 27).
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
          ? "text isn't allowed after the root" : "text isn't allowed before the root", at: p)
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
      throw .syntax("markup isn't allowed after the root", at: p)
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

  /// Production 15. Two hyphens are only allowed at the end of a comment.
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

  /// Reads the processing instruction at `i`, and moves `i` after it.
  func instruction(
    _ bytes: Span<UInt8>, _ i: inout Int
  ) throws(Failure) -> (target: String, data: String) {
    let start = i + 2
    let nameEnd = try bytes.nameEnd(from: start)
    let target = bytes.string(start..<nameEnd)
    if target.utf8.count == 3, target.lowercased() == "xml" {
      throw .syntax(
        target == "xml"
          ? "an XML declaration must be at the very beginning" : "the target “xml” is reserved",
        at: i)
    }
    if options.namespaces, target.utf8.contains(.colon) {
      throw Failure(.namespace, "a target must not contain a colon", at: start)
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

extension DocumentParser {
  /// Returns whether an XML declaration begins at `p`: `<?xml` and white space.
  func isDeclaration(_ bytes: Span<UInt8>, _ p: Int) throws(Failure) -> Bool {
    guard try bytes.has("<?xml", at: p) else { return false }
    return try bytes.byte(at: p + 5).isXMLSpace
  }

  /// Production 23, XMLDecl.
  mutating func declaration<S: EventSink>(
    _ bytes: Span<UInt8>, _ p: inout Int, _ sink: inout S
  ) throws(Failure) {
    var i = p + 5
    guard let version = try pseudoAttribute("version", bytes, &i) else {
      throw .syntax("a version is expected", at: i)
    }
    guard version.isVersion else { throw .syntax("this isn't a version of XML 1", at: p) }
    var declaration = XMLEvent.Declaration(version: version)
    if let name = try pseudoAttribute("encoding", bytes, &i) {
      guard name.isEncodingName else { throw .syntax("this isn't an encoding name", at: p) }
      try encoding.check(name, at: p)
      declaration.encoding = name
    } else {
      try encoding.checkAbsence(at: p)
    }
    if let answer = try pseudoAttribute("standalone", bytes, &i) {
      guard answer == "yes" || answer == "no" else {
        throw .syntax("standalone must be “yes” or “no”", at: p)
      }
      declaration.standalone = answer == "yes"
    }
    i = bytes.skipSpace(from: i)
    guard try bytes.has("?>", at: i) else { throw .syntax("“?>” is expected", at: i) }
    type.isStandalone = declaration.standalone ?? false
    try sink.declaration(declaration)
    p = i + 2
  }

  /// Reads white space, `name`, Eq and a quoted value; `nil` if anything else follows.
  private func pseudoAttribute(
    _ name: StaticString, _ bytes: Span<UInt8>, _ i: inout Int
  ) throws(Failure) -> String? {
    var p = bytes.skipSpace(from: i)
    guard p > i, try bytes.has(name, at: p) else { return nil }
    p += name.utf8CodeUnitCount
    try equals(bytes, &p)
    let quote = try bytes.byte(at: p)
    guard quote == .quote || quote == .apostrophe else {
      throw .syntax("a quoted value is expected", at: p)
    }
    var end = p + 1
    while try bytes.byte(at: end) != quote {
      guard bytes[end].isASCIIName else { throw .syntax("this value isn't closed", at: p) }
      end += 1
    }
    i = end + 1
    return bytes.string(p + 1..<end)
  }
}

extension String {
  /// Production 26, VersionNum, of the fifth edition.
  fileprivate var isVersion: Bool {
    utf8.count > 2 && hasPrefix("1.") && utf8.dropFirst(2).allSatisfy(\.isASCIIDigit)
  }

  /// Production 81, EncName.
  fileprivate var isEncodingName: Bool {
    guard let first = utf8.first, first | 0x20 >= 0x61, first | 0x20 <= 0x7A else { return false }
    return utf8.allSatisfy { $0.isASCIIName && $0 != .colon }
  }
}
