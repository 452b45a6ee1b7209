/// A reference, before anybody asks what it refers to.
enum ParsedReference {
  /// A character reference or one of the five predefined entities.
  case character(UInt32)
  /// The range of a name.
  case entity(Int, Int)
}

extension Span<UInt8> {
  /// The reference whose `&` stands at `i`, which moves behind its `;`.
  func reference(_ i: inout Int) throws(Failure) -> ParsedReference {
    if try byte(at: i + 1) == .hash { return .character(try characterReference(&i)) }
    let start = i + 1
    let end = try nameEnd(from: start)
    guard try byte(at: end) == .semicolon else {
      throw .syntax("“;” is expected", at: end)
    }
    i = end + 1
    if end - start <= 4, let scalar = predefined(start, end) { return .character(scalar) }
    return .entity(start, end)
  }

  /// Production 66, CharRef.
  private func characterReference(_ i: inout Int) throws(Failure) -> UInt32 {
    let isHexadecimal = try byte(at: i + 2) == 0x78
    let start = i + (isHexadecimal ? 3 : 2)
    var p = start
    var value: UInt32 = 0
    while let digit = try byte(at: p).digitValue(isHexadecimal: isHexadecimal) {
      value = Swift.min(value * (isHexadecimal ? 16 : 10) + digit, 0x110000)
      p += 1
    }
    guard p > start, self[p] == .semicolon else {
      throw .syntax("this isn't a character reference", at: i)
    }
    guard value.isXMLCharacter else {
      throw Failure(.invalidCharacter, "a reference to no character of XML", at: i)
    }
    i = p + 1
    return value
  }

  /// Section 4.6.
  private func predefined(_ start: Int, _ end: Int) -> UInt32? {
    switch paddedWord(from: start, to: end) {
    case 0x746C: 0x3C  // lt
    case 0x7467: 0x3E  // gt
    case 0x706D61: 0x26  // amp
    case 0x746F_7571: 0x22  // quot
    case 0x736F_7061: 0x27  // apos
    default: nil
    }
  }
}

extension UInt8 {
  fileprivate func digitValue(isHexadecimal: Bool) -> UInt32? {
    if isASCIIDigit { return UInt32(self &- 0x30) }
    let letter = (self | 0x20) &- 0x61
    return isHexadecimal && letter < 6 ? UInt32(letter) + 10 : nil
  }
}
