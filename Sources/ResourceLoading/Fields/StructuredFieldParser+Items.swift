import Foundation
import ResourcePrimitives

extension StructuredFieldParser {
  mutating func bareItem() throws(Malformed) -> StructuredField.BareItem {
    guard let first = next else { throw Malformed() }
    switch first {
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: ":"): return .bytes(try bytes())
    case UInt8(ascii: "?"): return .boolean(try boolean())
    case UInt8(ascii: "@"): return .date(try date())
    case UInt8(ascii: "%"): return .displayString(try displayString())
    case UInt8(ascii: "*"): return .token(token())
    case _ where first.isASCIILetter: return .token(token())
    default: return try number()
    }
  }

  /// Reads an integer of at most 15 digits, or a decimal number of at most 12 digits before the
  /// point and 1 to 3 behind it.
  private mutating func number() throws(Malformed) -> StructuredField.BareItem {
    let sign = skip("-") ? -1 : 1
    let whole = text(while: \.isASCIIDigit)
    guard let value = Int(whole) else { throw Malformed() }
    guard skip(".") else {
      guard whole.utf8.count <= 15 else { throw Malformed() }
      return .integer(sign * value)
    }
    let fraction = text(while: \.isASCIIDigit)
    let digits = fraction.utf8.count
    guard whole.utf8.count <= 12, 1...3 ~= digits, let parts = Int(fraction) else {
      throw Malformed()
    }
    return .decimal(thousandths: sign * (value * 1000 + parts * [100, 10, 1][digits - 1]))
  }

  private mutating func date() throws(Malformed) -> Int {
    guard skip("@"), case .integer(let seconds) = try number() else { throw Malformed() }
    return seconds
  }

  private mutating func boolean() throws(Malformed) -> Bool {
    guard skip("?") else { throw Malformed() }
    if skip("1") { return true }
    guard skip("0") else { throw Malformed() }
    return false
  }

  private mutating func token() -> String {
    text { $0.isASCIILetter || $0.isASCIIDigit || "!#$%&'*+-.^_`|~:/".utf8.contains($0) }
  }

  private mutating func string() throws(Malformed) -> String {
    guard skip("\"") else { throw Malformed() }
    var value: [UInt8] = []
    while true {
      let byte = try byte()
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") else { throw Malformed() }
        value.append(try self.byte())
      case 0x20...0x7E: value.append(byte)
      default: throw Malformed()
      }
    }
  }

  /// Reads Base64 between colons, with or without padding at its end.
  private mutating func bytes() throws(Malformed) -> Data {
    guard skip(":") else { throw Malformed() }
    let text = text { $0 != UInt8(ascii: ":") }
    let unpadded = text.prefix { $0 != "=" }
    let padding = String(repeating: "=", count: (4 - unpadded.utf8.count % 4) % 4)
    guard skip(":"), text.utf8.count - unpadded.utf8.count <= 2,
      text.utf8.dropFirst(unpadded.utf8.count).allSatisfy({ $0 == UInt8(ascii: "=") }),
      let value = Data(base64Encoded: unpadded + padding)
    else { throw Malformed() }
    return value
  }

  /// Reads UTF-8 with percent-encoding in lower case between quotes.
  private mutating func displayString() throws(Malformed) -> String {
    guard skip("%"), skip("\"") else { throw Malformed() }
    var value: [UInt8] = []
    while true {
      let byte = try byte()
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: value, as: UTF8.self) else { throw Malformed() }
        return text
      case UInt8(ascii: "%"): value.append(try hexadecimal() << 4 | hexadecimal())
      case 0x20...0x7E: value.append(byte)
      default: throw Malformed()
      }
    }
  }

  private mutating func hexadecimal() throws(Malformed) -> UInt8 {
    let byte = try byte()
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
    default: throw Malformed()
    }
  }
}
