/// JSON text in UTF-8, to which more is appended.
struct JSONBytes {
  private(set) var bytes: [UInt8] = []

  var count: Int { bytes.count }
}

extension JSONBytes {
  @inline(__always)
  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  @inline(__always)
  mutating func append(contentsOf text: some Collection<UInt8>) { bytes.append(contentsOf: text) }

  @inline(__always)
  mutating func append(ascii text: StaticString) {
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  mutating func append(_ value: Bool) { value ? append(ascii: "true") : append(ascii: "false") }

  @inline(__always)
  mutating func appendNull() { append(ascii: "null") }

  mutating func indent(_ level: Int) {
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: level * 2))
  }

  /// Removes the bytes from an offset to the end.
  @inline(__always)
  mutating func truncate(to count: Int) { bytes.removeSubrange(count...) }
}

extension JSONBytes {
  @inline(__always)
  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    if let number = Int64(exactly: number) {
      if number < 0 { append(UInt8(ascii: "-")) }
      append(digits: number.magnitude)
    } else if let number = UInt64(exactly: number) {
      append(digits: number)
    } else {
      append(contentsOf: "\(number)".utf8)
    }
  }

  private mutating func append(digits number: UInt64) {
    guard number > 9 else { return append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number)) }
    let start = bytes.count
    let length = number.decimalLength
    bytes.append(contentsOf: repeatElement(0, count: length))
    var rest = number
    var position = start &+ length
    while position > start {
      position &-= 1
      bytes[position] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}

extension UInt64 {
  /// The number of digits.
  fileprivate var decimalLength: Int {
    var length = 1
    var limit: UInt64 = 10
    while self >= limit {
      length &+= 1
      let (next, overflows) = limit.multipliedReportingOverflow(by: 10)
      guard !overflows else { break }
      limit = next
    }
    return length
  }
}

extension JSONBytes {
  /// Appends a text in quotes.
  ///
  /// - Returns: Whether all of its characters are ASCII.
  mutating func append(_ string: String, escapingSlashes: Bool) -> Bool {
    var string = string
    append(UInt8(ascii: "\""))
    let bits = string.withUTF8 { source in
      var bits: UInt8 = 0
      var start = 0
      for position in source.indices {
        let byte = unsafe source[position]
        bits |= byte
        guard
          byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            || byte == UInt8(ascii: "/") && escapingSlashes
        else { continue }
        unsafe bytes.append(contentsOf: source[start..<position])
        append(escape: byte)
        start = position &+ 1
      }
      unsafe bytes.append(contentsOf: source[start...])
      return bits
    }
    append(UInt8(ascii: "\""))
    return bits < 0x80
  }

  private mutating func append(escape byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    case 0..<0x20:
      append(ascii: byte < 0x10 ? "u000" : "u001")
      let digit = byte & 0xF
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    default: append(byte)
    }
  }
}

extension JSONBytes {
  /// Appends the shortest text that is read back as the same number.
  mutating func append(_ number: some JSONFloat) {
    var text = number.description
    text.withUTF8 { source in
      let isWhole = unsafe source.suffix(2).elementsEqual(".0".utf8)
      unsafe bytes.append(contentsOf: isWhole ? source.dropLast(2) : source[...])
    }
  }

  /// Appends a number as ECMAScript writes it, and with it RFC 8785.
  mutating func append(canonical number: Double) {
    append(number)
  }
}
