extension DocumentParser {
  /// Productions 45 to 51. Only read through: content models are for validating processors.
  mutating func elementDeclaration(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    i += 9
    try requireSpace(bytes, &i)
    _ = try qualifiedName(bytes, &i)
    try requireSpace(bytes, &i)
    if try bytes.has("EMPTY", at: i) {
      i += 5
    } else if try bytes.has("ANY", at: i) {
      i += 3
    } else if try bytes.byte(at: i) == .leftParenthesis {
      let inner = bytes.skipSpace(from: i + 1)
      if try bytes.has("#PCDATA", at: inner) {
        i = inner + 7
        try mixedContent(bytes, &i)
      } else {
        try elementContent(bytes, &i)
      }
    } else {
      throw .syntax("a content model is expected", at: i)
    }
    try endOfDeclaration(bytes, &i)
  }

  /// Production 51, Mixed, from behind `#PCDATA`.
  private mutating func mixedContent(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    var hasNames = false
    i = bytes.skipSpace(from: i)
    while try bytes.byte(at: i) == .bar {
      i = bytes.skipSpace(from: i + 1)
      _ = try qualifiedName(bytes, &i)
      i = bytes.skipSpace(from: i)
      hasNames = true
    }
    guard bytes[i] == .rightParenthesis else { throw .syntax("“)” is expected", at: i) }
    i += 1
    if try bytes.byte(at: i) == .asterisk {
      i += 1
    } else if hasNames {
      throw .syntax("“*” is expected", at: i)
    }
  }

  /// Productions 47 to 50, children. The separators of the open groups are on a stack; 0 is a group
  /// that has had none yet.
  private mutating func elementContent(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    var separators: [UInt8] = []
    repeat {
      while try bytes.byte(at: i) == .leftParenthesis {
        separators.append(0)
        i = bytes.skipSpace(from: i + 1)
      }
      _ = try qualifiedName(bytes, &i)
      try occurrence(bytes, &i)
      try closeGroups(bytes, &i, &separators)
    } while !separators.isEmpty
  }

  /// What comes behind a particle: ends of groups, then a separator unless all are closed.
  private func closeGroups(
    _ bytes: Span<UInt8>, _ i: inout Int, _ separators: inout [UInt8]
  ) throws(Failure) {
    while let separator = separators.last {
      i = bytes.skipSpace(from: i)
      let byte = try bytes.byte(at: i)
      i += 1
      if byte == .rightParenthesis {
        separators.removeLast()
        try occurrence(bytes, &i)
      } else if (byte == .bar || byte == .comma) && (separator == 0 || separator == byte) {
        separators[separators.count - 1] = byte
        i = bytes.skipSpace(from: i)
        return
      } else {
        throw .syntax("“,”, “|” or “)” is expected", at: i - 1)
      }
    }
  }

  private func occurrence(_ bytes: Span<UInt8>, _ i: inout Int) throws(Failure) {
    let byte = try bytes.byte(at: i)
    if byte == .question || byte == .asterisk || byte == .plus { i += 1 }
  }
}
