/// The bytes that mean something in markup, by their names.
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

  /// Whether the byte may be within an ASCII name: also digits, `-` and `.`. One bit per character,
  /// because this is asked for every byte of every name.
  @inline(__always)
  var isASCIIName: Bool {
    let low: UInt64 = 0x07FF_6000_0000_0000  // - . 0…9 :
    let high: UInt64 = 0x07FF_FFFE_87FF_FFFE  // A…Z _ a…z
    guard self < 0x80 else { return false }
    return ((self < 0x40 ? low : high) >> UInt64(self & 0x3F)) & 1 == 1
  }
}
