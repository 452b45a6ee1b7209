extension JSONText {
  /// Reads four hexadecimal digits; `nil` for anything else.
  func hexadecimal(at offset: Int) -> UInt32? {
    var number: UInt32 = 0
    for position in 0..<4 {
      let byte = self[offset + position]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      default: return nil
      }
      number = number << 4 | UInt32(digit)
    }
    return number
  }

  /// Writes the bytes of the character that an escape stands for.
  ///
  /// - Returns: The length of the escape.
  static func unescape(_ text: JSONText, at offset: Int, _ write: (UInt8) -> Void) -> Int {
    switch text[offset + 1] {
    case UInt8(ascii: "b"): write(0x08)
    case UInt8(ascii: "f"): write(0x0C)
    case UInt8(ascii: "n"): write(0x0A)
    case UInt8(ascii: "r"): write(0x0D)
    case UInt8(ascii: "t"): write(0x09)
    case UInt8(ascii: "u"):
      let unit = text.hexadecimal(at: offset + 2) ?? 0xFFFD
      guard 0xD800..<0xDC00 ~= unit else {
        UTF8.encode(Unicode.Scalar(unit) ?? "\u{FFFD}")?.forEach(write)
        return 6
      }
      let low = text.hexadecimal(at: offset + 8) ?? 0xDC00
      let value = 0x10000 + (unit - 0xD800) << 10 + (low & 0x3FF)
      UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}")?.forEach(write)
      return 12
    case let byte: write(byte)
    }
    return 2
  }
}
