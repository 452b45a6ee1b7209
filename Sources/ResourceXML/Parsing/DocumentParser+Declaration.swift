extension DocumentParser {
  /// Whether an XML declaration begins at `p`: `<?xml` and white space.
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
        throw .syntax("standalone is “yes” or “no”", at: p)
      }
      declaration.standalone = answer == "yes"
    }
    i = bytes.skipSpace(from: i)
    guard try bytes.has("?>", at: i) else { throw .syntax("“?>” is expected", at: i) }
    type.isStandalone = declaration.standalone ?? false
    try sink.declaration(declaration)
    p = i + 2
  }

  /// White space, `name`, Eq and a quoted value; `nil` when something else comes.
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
  /// Production 26, VersionNum, as the fifth edition has it.
  fileprivate var isVersion: Bool {
    utf8.count > 2 && hasPrefix("1.") && utf8.dropFirst(2).allSatisfy(\.isASCIIDigit)
  }

  /// Production 81, EncName.
  fileprivate var isEncodingName: Bool {
    guard let first = utf8.first, first | 0x20 >= 0x61, first | 0x20 <= 0x7A else { return false }
    return utf8.allSatisfy { $0.isASCIIName && $0 != .colon }
  }
}
