/// Searches for the end of an incomplete token. Each byte is examined once, so a token that arrives
/// byte by byte takes linear time.
struct TokenEndScanner: Sendable {
  private enum Kind {
    case tag
    case comment
    case instruction
    case reference
    case documentType
    /// A short token, which is read again with every byte.
    case short
  }

  private let kind: Kind
  /// The offset of the next byte to examine, from the token's start.
  private var offset = 0
  /// The open quote; 0 for none.
  private var quote: UInt8 = 0
  /// The previous bytes, the last one in the lowest bits.
  private var history: UInt64 = 0
  /// In a document type, the number of open brackets.
  private var brackets = 0
  private var isInComment = false
  private var isInInstruction = false
  /// The offset at which the last comment or instruction began.
  private var opening = 0

  init(_ token: Span<UInt8>) {
    guard token.count > 1 else {
      kind = token.count == 1 && token[0] == .ampersand ? .reference : .short
      return
    }
    switch (token[0], token[1]) {
    case (.ampersand, _): kind = .reference
    case (.lessThan, .question): kind = .instruction
    case (.lessThan, .exclamation): kind = TokenEndScanner.declaration(token)
    case (.lessThan, _): kind = .tag
    default: kind = .short
    }
  }

  private static func declaration(_ token: Span<UInt8>) -> Kind {
    guard token.count > 9 else { return .short }
    return token[2] == .hyphen ? .comment : token[2] == 0x44 ? .documentType : .short
  }

  /// Whether any further byte may complete the token.
  var isShort: Bool { kind == .short }

  /// Whether the token may be complete now.
  mutating func isReached(in token: Span<UInt8>) -> Bool {
    guard kind != .short else { return true }
    while offset < token.count {
      let byte = token[offset]
      offset += 1
      let isEnd = isEnd(byte)
      history = history << 8 | UInt64(byte)
      if isEnd { return true }
    }
    return false
  }

  private mutating func isEnd(_ byte: UInt8) -> Bool {
    switch kind {
    case .short: return true
    case .reference:
      return offset > 1 && (byte == .semicolon || byte <= .space || !isReferencePart(byte))
    case .comment: return offset > 6 && history & 0xFFFF == 0x2D2D
    case .instruction: return offset > 3 && byte == .greaterThan && history & 0xFF == 0x3F
    case .tag: return isTagEnd(byte)
    case .documentType: return isTypeEnd(byte)
    }
  }

  private func isReferencePart(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte.isASCIIName || byte == .hash
  }

  private mutating func isTagEnd(_ byte: UInt8) -> Bool {
    if quote != 0 {
      if byte == quote { quote = 0 }
      return byte == .lessThan
    }
    if byte == .quote || byte == .apostrophe { quote = byte }
    return byte == .greaterThan || (byte == .lessThan && offset > 1)
  }

  private mutating func isTypeEnd(_ byte: UInt8) -> Bool {
    if isInComment {
      if offset > opening + 2, byte == .greaterThan, history & 0xFFFF == 0x2D2D {
        isInComment = false
      }
    } else if isInInstruction {
      if offset > opening + 1, byte == .greaterThan, history & 0xFF == 0x3F {
        isInInstruction = false
      }
    } else if quote != 0 {
      if byte == quote { quote = 0 }
    } else {
      return isTypeEndOutside(byte)
    }
    return false
  }

  private mutating func isTypeEndOutside(_ byte: UInt8) -> Bool {
    switch byte {
    case .quote, .apostrophe: quote = byte
    case .leftBracket: brackets += 1
    case .rightBracket: brackets -= 1
    case .hyphen where history & 0xFF_FFFF == 0x3C212D: (isInComment, opening) = (true, offset)
    case .question where history & 0xFF == 0x3C: (isInInstruction, opening) = (true, offset)
    case .greaterThan: return brackets <= 0
    default: break
    }
    return false
  }
}
