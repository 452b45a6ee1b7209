extension JSONScanner {
  /// Steps over a string and returns where it stands between its quotes (section 7).
  ///
  /// - Throws: The first mistake in it; one at its start if it isn't UTF-8.
  mutating func string() throws(JSONMistake) -> Range<Int> {
    offset += 1
    let start = offset
    var isASCII = true
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        let range = start..<offset
        guard isASCII || String(validating: bytes[range], as: UTF8.self) != nil else {
          throw JSONMistake(reason: "a string isn't UTF-8", offset: start - 1)
        }
        offset += 1
        return range
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw mistake("a control character in a string isn't escaped")
      default:
        if byte >= 0x80 { isASCII = false }
        offset += 1
      }
    }
    throw mistake("")
  }

  /// Steps over an escape. Halves of surrogate pairs mean nothing alone (section 8.2).
  private mutating func escape() throws(JSONMistake) {
    offset += 1
    guard let byte = current else { throw mistake("") }
    guard byte == UInt8(ascii: "u") else {
      guard Self.plainEscape(byte) != nil else { throw mistake("this is no escape of JSON") }
      offset += 1
      return
    }
    guard let unit = unit(at: offset + 1) else { throw mistake("“\\u” wants four hex digits") }
    let isPair = UTF16.isLeadSurrogate(unit) && isTrail(at: offset + 5)
    guard isPair || !UTF16.isSurrogate(unit) else {
      throw mistake("half a surrogate pair stands alone")
    }
    offset += isPair ? 11 : 5
  }

  private func isTrail(at start: Int) -> Bool {
    bytes[min(start, bytes.count)...].starts(with: "\\u".utf8)
      && unit(at: start + 2).map(UTF16.isTrailSurrogate) == true
  }

  /// Four hexadecimal digits.
  private func unit(at start: Int) -> UInt16? {
    guard start + 4 <= bytes.count else { return nil }
    var value: UInt16 = 0
    for byte in bytes[start..<start + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  /// What a letter behind a backslash means.
  private static func plainEscape(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }
}

extension JSONScanner {
  /// The text that stands in a range without its quotes, its escapes replaced by what they mean.
  func text(_ range: Range<Int>) -> String {
    let raw = bytes[range]
    guard raw.contains(UInt8(ascii: "\\")) else { return String(decoding: raw, as: UTF8.self) }
    var plain: [UInt8] = []
    plain.reserveCapacity(raw.count)
    var i = range.lowerBound
    while i < range.upperBound {
      if bytes[i] != UInt8(ascii: "\\") {
        plain.append(bytes[i])
        i += 1
      } else if let byte = Self.plainEscape(bytes[i + 1]) {
        plain.append(byte)
        i += 2
      } else {
        let units = [unit(at: i + 2), isTrail(at: i + 6) ? unit(at: i + 8) : nil].compactMap(\.self)
        let isPair = units.count == 2 && UTF16.isLeadSurrogate(units[0])
        plain += String(decoding: isPair ? units : Array(units.prefix(1)), as: UTF16.self).utf8
        i += isPair ? 12 : 6
      }
    }
    return String(decoding: plain, as: UTF8.self)
  }
}
