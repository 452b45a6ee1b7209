/// The grammar of RFC 8259, read byte by byte: slow, and too short to be wrong.
struct Grammar {
  private var rest: ArraySlice<UInt8>

  /// The deepest that values may nest.
  private static let depthLimit = 512

  /// Whether a text in UTF-8 is JSON.
  static func accepts(_ text: [UInt8]) -> Bool {
    guard String(validating: text, as: UTF8.self) != nil else { return false }
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var grammar = Grammar(rest: text.starts(with: mark) ? text.dropFirst(3) : text[...])
    return grammar.value() && grammar.rest.isEmpty
  }
}

extension Grammar {
  /// Each returns whether what stands here is what it is named after, and steps over it.
  private mutating func value(inside depth: Int = 0) -> Bool {
    skipSpace()
    defer { skipSpace() }
    guard let byte = rest.first else { return false }
    switch byte {
    case UInt8(ascii: "{"): return list(endingIn: "}", inside: depth, ofMembers: true)
    case UInt8(ascii: "["): return list(endingIn: "]", inside: depth, ofMembers: false)
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    default: return take("null") || take("true") || take("false")
    }
  }

  private mutating func list(
    endingIn end: String, inside depth: Int, ofMembers isObject: Bool
  ) -> Bool {
    guard depth < Self.depthLimit else { return false }
    rest.removeFirst()
    skipSpace()
    if take(end) { return true }
    repeat {
      guard !isObject || name() else { return false }
      guard value(inside: depth + 1) else { return false }
    } while take(",")
    return take(end)
  }

  private mutating func name() -> Bool {
    skipSpace()
    guard string() else { return false }
    skipSpace()
    return take(":")
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"): guard escape() else { return false }
      case 0..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    guard let byte = rest.popFirst() else { return false }
    guard byte == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(byte) }
    guard let unit = hexadecimal() else { return false }
    switch unit {
    case 0xDC00..<0xE000: return false
    case 0xD800..<0xDC00:
      guard take("\\u"), let low = hexadecimal() else { return false }
      return (0xDC00..<0xE000).contains(low)
    default: return true
    }
  }

  private mutating func hexadecimal() -> Int? {
    let digits = rest.prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
      return nil
    }
    rest.removeFirst(4)
    return Int(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private mutating func number() -> Bool {
    _ = take("-")
    guard take("0") || digits() else { return false }
    if take("."), !digits() { return false }
    guard take("e") || take("E") else { return true }
    if !take("+") { _ = take("-") }
    return digits()
  }

  private mutating func digits() -> Bool {
    let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    rest.removeFirst(count)
    return count > 0
  }

  private mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest.removeFirst(text.utf8.count)
    return true
  }

  private mutating func skipSpace() { rest = rest.drop { " \t\n\r".utf8.contains($0) } }
}
