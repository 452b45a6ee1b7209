/// The bytes of markup by name.
extension UInt8 {
  static var tab: UInt8 { 0x09 }
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }
  static var space: UInt8 { 0x20 }
  static var exclamation: UInt8 { 0x21 }
  static var quote: UInt8 { 0x22 }
  static var hash: UInt8 { 0x23 }
  static var percent: UInt8 { 0x25 }
  static var ampersand: UInt8 { 0x26 }
  static var apostrophe: UInt8 { 0x27 }
  static var leftParenthesis: UInt8 { 0x28 }
  static var rightParenthesis: UInt8 { 0x29 }
  static var asterisk: UInt8 { 0x2A }
  static var plus: UInt8 { 0x2B }
  static var comma: UInt8 { 0x2C }
  static var hyphen: UInt8 { 0x2D }
  static var slash: UInt8 { 0x2F }
  static var colon: UInt8 { 0x3A }
  static var semicolon: UInt8 { 0x3B }
  static var lessThan: UInt8 { 0x3C }
  static var equals: UInt8 { 0x3D }
  static var greaterThan: UInt8 { 0x3E }
  static var question: UInt8 { 0x3F }
  static var leftBracket: UInt8 { 0x5B }
  static var rightBracket: UInt8 { 0x5D }
  static var bar: UInt8 { 0x7C }

  /// Production 3, S.
  @inline(__always)
  var isXMLSpace: Bool {
    self <= 0x20 && (self == 0x20 || self == 0x0A || self == 0x09 || self == 0x0D)
  }

  var isASCIIDigit: Bool { self &- 0x30 < 10 }

  /// Whether the byte begins an ASCII name: a letter, `_` or `:`.
  @inline(__always)
  var isASCIINameStart: Bool {
    (self | 0x20) &- 0x61 < 26 || self == 0x5F || self == 0x3A
  }

  /// Whether the byte may be inside an ASCII name, including digits, `-` and `.`. A bit mask,
  /// because this is checked for each byte of each name.
  @inline(__always)
  var isASCIIName: Bool {
    let low: UInt64 = 0x07FF_6000_0000_0000  // - . 0…9 :
    let high: UInt64 = 0x07FF_FFFE_87FF_FFFE  // A…Z _ a…z
    guard self < 0x80 else { return false }
    return ((self < 0x40 ? low : high) >> UInt64(self & 0x3F)) & 1 == 1
  }
}

/// The character classes of XML 1.0, fifth edition, on code points.
extension UInt32 {
  /// Production 2, Char.
  var isXMLCharacter: Bool {
    switch self {
    case 0x20...0xD7FF, 0x9, 0xA, 0xD, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  /// Production 4, NameStartChar.
  var isXMLNameStart: Bool {
    switch self {
    case 0x61...0x7A, 0x41...0x5A, 0x5F, 0x3A: true
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF: true
    case 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF: true
    case 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF: true
    default: false
    }
  }

  /// Production 4a, NameChar.
  var isXMLName: Bool {
    switch self {
    case 0x2D, 0x2E, 0x30...0x39, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
    default: isXMLNameStart
    }
  }
}

extension Span<UInt8> {
  /// Returns the end of the bytes from `start` that are UTF-8 and whole XML characters (production
  /// 2), and the failure there, if any. No later step checks them again.
  ///
  /// An incomplete character at the end isn't a failure unless `isFinal`.
  func validEnd(from start: Int, isFinal: Bool) -> (end: Int, failure: Failure?) {
    var i = start
    while i < count {
      i = plainEnd(from: i)
      guard i < count else { break }
      let first = self[i]
      if first < 0x80 {
        guard first >= 0x20 || first.isXMLSpace else { return (i, forbidden(at: i)) }
        i &+= 1
        continue
      }
      let length = sequenceLength(i)
      if length == 0 || (length < 0 && isFinal) { return (i, invalid(at: i)) }
      if length < 0 { return (i, nil) }
      if first == 0xEF, self[i + 1] == 0xBF, self[i + 2] >= 0xBE { return (i, forbidden(at: i)) }
      i &+= length
    }
    return (i, nil)
  }

  /// Returns the end of the printable ASCII, reading eight bytes at a time.
  @inline(__always)
  private func plainEnd(from start: Int) -> Int {
    var i = start
    while i &+ 8 <= count {
      let word = word(at: i)
      let low = (word &- 0x2020_2020_2020_2020) & ~word
      let hits = (word | low) & 0x8080_8080_8080_8080
      if hits != 0 { return i &+ hits.trailingZeroBitCount >> 3 }
      i &+= 8
    }
    while i < count, self[i] >= 0x20, self[i] < 0x80 { i &+= 1 }
    return i
  }

  /// Returns the length of the sequence at `i` (Unicode, table 3-7); 0 if it is invalid, −1 if it
  /// is incomplete.
  @inline(__always)
  private func sequenceLength(_ i: Int) -> Int {
    let first = self[i]
    let length: Int
    var range: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, range) = (3, 0xA0...0xBF)
    case 0xED: (length, range) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, range) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, range) = (4, 0x80...0x8F)
    default: return 0
    }
    for offset in 1..<length {
      guard i &+ offset < count else { return -1 }
      guard range.contains(self[i &+ offset]) else { return 0 }
      range = 0x80...0xBF
    }
    return length
  }

  private func invalid(at offset: Int) -> Failure {
    Failure(.invalidBytes, "these bytes aren't UTF-8", at: offset)
  }

  private func forbidden(at offset: Int) -> Failure {
    Failure(.invalidCharacter, "a character that XML doesn't allow", at: offset)
  }
}
