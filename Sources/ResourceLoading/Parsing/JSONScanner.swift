/// Steps over JSON text (RFC 8259) without building anything, to find places in it for error messages. Its
/// stack is an array: no document can exhaust the thread's.
struct JSONScanner {
  private let bytes: [UInt8]
  /// Where it stands, as an offset in bytes; after a failed step the place of the mistake.
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The byte it stands at, `nil` at the end.
  var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Steps over a byte, whatever it is.
  mutating func advance() { if offset < bytes.count { offset += 1 } }

  mutating func skipSpace() {
    while let byte = current, [0x20, 0x0A, 0x0D, 0x09].contains(byte) { offset += 1 }
  }

  /// Steps over a byte if it is the next one after white space.
  mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    skipSpace()
    guard current == UInt8(ascii: byte) else { return false }
    offset += 1
    return true
  }
}

extension JSONScanner {
  /// Steps over one value of any depth. `false` leaves it at the first mistake.
  mutating func skipValue() -> Bool {
    var closers: [Unicode.Scalar] = []
    repeat {
      guard let opened = skipStart() else { return false }
      if let closer = opened {
        closers.append(closer)
        if !skip(closer) {
          guard closer != "}" || skipKey() else { return false }
          continue
        }
        closers.removeLast()
      }
      guard skipEnd(&closers) else { return false }
    } while !closers.isEmpty
    return true
  }

  /// Steps over a scalar, or into an object or array and then tells what closes it.
  private mutating func skipStart() -> Unicode.Scalar?? {
    if skip("{") { return .some("}") }
    if skip("[") { return .some("]") }
    if current == UInt8(ascii: "\"") { return skipString() == nil ? nil : .some(nil) }
    return skipWord() ? .some(nil) : nil
  }

  /// Steps over what follows a value: closers, and the comma before the next value with its key.
  private mutating func skipEnd(_ closers: inout [Unicode.Scalar]) -> Bool {
    while let closer = closers.last {
      if skip(closer) {
        closers.removeLast()
      } else {
        return skip(",") && (closer != "}" || skipKey())
      }
    }
    return true
  }

  private mutating func skipKey() -> Bool {
    skipSpace()
    return skipString() != nil && skip(":")
  }
}

extension JSONScanner {
  /// Steps over a string and returns its bytes between the quotes, escapes as they stand there.
  mutating func skipString() -> ArraySlice<UInt8>? {
    guard current == UInt8(ascii: "\"") else { return nil }
    offset += 1
    let start = offset
    while let byte = current, byte >= 0x20 {
      offset += 1
      if byte == UInt8(ascii: "\"") { return bytes[start..<offset - 1] }
      if byte == UInt8(ascii: "\\") {
        guard let escaped = current, "\"\\/bfnrtu".utf8.contains(escaped) else { return nil }
        offset += 1
      }
    }
    return nil
  }

  /// Steps over a number, `true`, `false` or `null`.
  private mutating func skipWord() -> Bool {
    let start = offset
    while let byte = current, Self.isWordByte(byte) { offset += 1 }
    let word = String(decoding: bytes[start..<offset], as: UTF8.self)
    let isNumber = word.first.map { "-0123456789".contains($0) } == true && Double(word) != nil
    guard isNumber || ["true", "false", "null"].contains(word) else {
      offset = start
      return false
    }
    return true
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}
