/// Percent-encoding that keeps a set of bytes (RFC 3986 section 2.1).
package struct PercentEncoding: Sendable {
  private let keeps: [Bool]
  /// The encoding of a space.
  private let space: [UInt8]

  /// Creates an encoding that keeps ASCII letters, digits, and further ASCII characters.
  package init(keeping extra: String, space: String = "%20") {
    self.space = Array(space.utf8)
    var keeps = [Bool](repeating: false, count: 256)
    for byte in UInt8.min ... .max { keeps[Int(byte)] = byte.isASCIILetter || byte.isASCIIDigit }
    for byte in extra.utf8 { keeps[Int(byte)] = true }
    self.keeps = keeps
  }

  /// Keeps only the unreserved characters of RFC 3986 section 2.3.
  package static let unreserved = PercentEncoding(keeping: "-._~")

  /// Keeps slashes and the characters of a path segment, except `:`, which the first segment of a
  /// relative path must not contain (RFC 3986 section 3.3).
  package static let path = PercentEncoding(keeping: "-._~!$&'()*+,;=@/")

  /// Keeps the characters of a path (RFC 3986 section 3.3).
  package static let wholePath = PercentEncoding(keeping: "-._~!$&'()*+,;=:@/")

  /// Keeps the characters of a query (RFC 3986 section 3.4).
  package static let query = PercentEncoding(keeping: "-._~!$&'()*+,;=:@/?")

  /// Keeps the characters of the WHATWG's `application/x-www-form-urlencoded` serializer, and
  /// encodes a space as `+` (URL standard section 5.2).
  package static let form = PercentEncoding(keeping: "*-._", space: "+")

  package func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if keeps[Int(byte)] {
        encoded.append(byte)
      } else if byte == UInt8(ascii: " ") {
        encoded += space
      } else {
        encoded += Self.escape(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Encodes the rest of a partly encoded text: escapes are kept, and other percent signs are
  /// encoded.
  package func complete(_ text: String) -> String {
    guard !accepts(text) else { return text }
    let bytes = Array(text.utf8)
    var encoded: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isEscape =
        byte == UInt8(ascii: "%") && index + 2 < bytes.count && Self.isHexadecimal(bytes[index + 1])
        && Self.isHexadecimal(bytes[index + 2])
      if keeps[Int(byte)] || isEscape {
        encoded.append(byte)
      } else {
        encoded += Self.escape(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Returns whether a byte is kept.
  package func keeps(_ byte: UInt8) -> Bool { keeps[Int(byte)] }

  /// Returns whether a text consists of kept bytes and escapes.
  package func accepts(_ encoded: String) -> Bool {
    var bytes = encoded.utf8[...]
    while let byte = bytes.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        guard keeps[Int(byte)] else { return false }
        continue
      }
      guard let high = bytes.popFirst(), let low = bytes.popFirst(), Self.isHexadecimal(high),
        Self.isHexadecimal(low)
      else { return false }
    }
    return true
  }

  static func isHexadecimal(_ byte: UInt8) -> Bool { value(of: byte) != nil }

  fileprivate static func value(of digit: UInt8) -> UInt8? {
    if digit.isASCIIDigit { return digit - UInt8(ascii: "0") }
    let letter = digit | 0x20
    guard (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(letter) else { return nil }
    return letter - UInt8(ascii: "a") + 10
  }

  package static func escape(_ byte: UInt8) -> [UInt8] {
    [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}

extension StringProtocol {
  /// The text with its escapes decoded; `nil` if an escape is incomplete, or if the bytes aren't
  /// UTF-8.
  package var percentDecoded: String? {
    guard utf8.contains(UInt8(ascii: "%")) else { return String(self) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(utf8.count)
    var bytes = Substring(self).utf8
    while let byte = bytes.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = bytes.popFirst().flatMap(PercentEncoding.value),
        let low = bytes.popFirst().flatMap(PercentEncoding.value)
      else { return nil }
      decoded.append(high << 4 | low)
    }
    return String(validating: decoded, as: UTF8.self)
  }
}
