package import Foundation

/// JSON text in UTF-8, to which more is appended.
package struct JSONBytes: Sendable {
  /// The bytes, and behind them zeros as room for more.
  private var memory: [UInt8] = []
  private(set) var count = 0

  package init() {}
}

extension JSONBytes {
  @inline(__always)
  private mutating func reserve(_ more: Int) {
    if memory.count &- count < more { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    var larger = [UInt8](repeating: 0, count: max(1024, memory.count * 2, count + more))
    unsafe larger.withUnsafeMutableBufferPointer {
      _ = unsafe $0.update(fromContentsOf: memory[..<count])
    }
    memory = larger
  }

  /// Appends bytes that a closure writes, beginning at a position.
  @inline(__always)
  private mutating func append(length: Int, _ write: (inout MutableSpan<UInt8>, Int) -> Void) {
    reserve(length)
    let start = count
    count = start &+ length
    var bytes = memory.mutableSpan
    write(&bytes, start)
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    memory[count] = byte
    count &+= 1
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    reserve(bytes.count)
    let start = count
    unsafe memory.withUnsafeMutableBufferPointer {
      _ = unsafe $0[start...].update(fromContentsOf: bytes)
    }
    count &+= bytes.count
  }

  mutating func append(_ bytes: ArraySlice<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
  }

  package mutating func append(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
  }

  /// Appends a piece of JSON.
  package mutating func append(_ text: StaticString) {
    // The buffer is that of a constant.
    text.withUTF8Buffer { unsafe append($0) }
  }

  mutating func append(ascii text: String) {
    var text = text
    text.withUTF8 { unsafe append($0) }
  }

  mutating func indent(_ level: Int) {
    for _ in 0..<level * 2 { append(UInt8(ascii: " ")) }
  }
}

extension JSONBytes {
  /// The bytes of a range.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    precondition(range.upperBound <= count, "outside the text")
    return Array(memory[range])
  }

  /// All of the bytes.
  var bytes: [UInt8] { bytes(0..<count) }

  package var data: Data { Data(memory[..<count]) }

  /// Removes the bytes from an offset to the end.
  mutating func truncate(to count: Int) {
    precondition(0...self.count ~= count, "outside the text")
    self.count = count
  }
}

extension JSONBytes {
  @inline(__always)
  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    if let number = Int64(exactly: number) {
      append(number)
    } else if let number = UInt64(exactly: number) {
      append(digits: number, isNegative: false)
    } else {
      append(ascii: "\(number)")
    }
  }

  package mutating func append(_ number: Int64) {
    append(digits: number.magnitude, isNegative: number < 0)
  }

  private mutating func append(digits number: UInt64, isNegative: Bool) {
    let length = number.decimalLength + (isNegative ? 1 : 0)
    append(length: length) { bytes, start in
      var rest = number
      var position = start &+ length
      while rest >= 100 {
        let (quotient, digits) = rest.quotientAndRemainder(dividingBy: 100)
        position &-= 2
        bytes.write(twoDigits: UInt8(truncatingIfNeeded: digits), at: position)
        rest = quotient
      }
      if rest >= 10 {
        bytes.write(twoDigits: UInt8(truncatingIfNeeded: rest), at: position &- 2)
      } else {
        bytes[position &- 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
      }
      if isNegative { bytes[start] = UInt8(ascii: "-") }
    }
  }

  /// Appends the shortest text that is read back as the same number.
  @inline(__always)
  mutating func append(_ number: some JSONFloat) {
    var description = number.description
    description.withUTF8 { digits in
      // A number in exponential form, or with a fraction, ends otherwise.
      let point = digits.count - 2
      let isWhole =
        unsafe point > 0 && digits[point] == UInt8(ascii: ".")
        && digits[point + 1] == UInt8(ascii: "0")
      unsafe append(UnsafeBufferPointer(rebasing: digits.dropLast(isWhole ? 2 : 0)))
    }
  }
}

extension MutableSpan<UInt8> {
  @inline(__always)
  fileprivate mutating func write(twoDigits number: UInt8, at position: Int) {
    let (tens, ones) = number.quotientAndRemainder(dividingBy: 10)
    self[position] = UInt8(ascii: "0") &+ tens
    self[position &+ 1] = UInt8(ascii: "0") &+ ones
  }
}

extension UInt64 {
  /// The number of digits.
  fileprivate var decimalLength: Int {
    if self < 100 { return self < 10 ? 1 : 2 }
    if self < 10_000 { return self < 1_000 ? 3 : 4 }
    if self < 100_000_000 {
      return self < 1_000_000 ? (self < 100_000 ? 5 : 6) : (self < 10_000_000 ? 7 : 8)
    }
    return 8 + (self / 100_000_000).decimalLength
  }
}

extension JSONBytes {
  /// Appends a time from 1601 to 9999 as a text in ISO 8601: `2024-03-05T10:20:30Z`.
  mutating func append(iso8601 seconds: Int64) {
    // Days of years that begin in March, in periods of 400 years.
    let (days, second) = (seconds + 62_162_035_200).quotientAndRemainder(dividingBy: 86_400)
    let (period, day) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfPeriod = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (yearOfPeriod * 365 + yearOfPeriod / 4 - yearOfPeriod / 100)
    let march = (dayOfYear * 5 + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = period * 400 + yearOfPeriod + (month > 2 ? 0 : 1)
    append(UInt8(ascii: "\""))
    append(twoDigits: year / 100)
    append(twoDigits: year % 100, before: "-")
    append(twoDigits: month, before: "-")
    append(twoDigits: dayOfYear - (march * 153 + 2) / 5 + 1, before: "T")
    append(twoDigits: second / 3600, before: ":")
    append(twoDigits: second / 60 % 60, before: ":")
    append(twoDigits: second % 60, before: "Z")
    append(UInt8(ascii: "\""))
  }

  private mutating func append(twoDigits number: Int64, before separator: Unicode.Scalar? = nil) {
    append(length: separator == nil ? 2 : 3) { bytes, start in
      bytes.write(twoDigits: UInt8(number), at: start)
      if let separator { bytes[start + 2] = UInt8(ascii: separator) }
    }
  }
}

extension JSONBytes {
  /// Appends a text in quotes.
  package mutating func append(quoted string: String, escapingSlashes: Bool) {
    // The bytes of all strings but those of Objective-C are contiguous, and so are those of a copy.
    let isAppended: Void? = unsafe string.utf8.withContiguousStorageIfAvailable {
      unsafe append(quoted: $0, escapingSlashes)
    }
    if isAppended == nil {
      unsafe Array(string.utf8).withUnsafeBufferPointer {
        unsafe append(quoted: $0, escapingSlashes)
      }
    }
  }

  private mutating func append(quoted bytes: UnsafeBufferPointer<UInt8>, _ escapesSlashes: Bool) {
    guard let text = unsafe JSONText(UnsafeRawBufferPointer(bytes)) else {
      return append("\"\"")
    }
    guard text.needsEscape(slashes: escapesSlashes) else {
      unsafe append(UInt8(ascii: "\""), around: bytes)
      return
    }
    append(UInt8(ascii: "\""))
    appendEscaped(text, escapesSlashes)
    append(UInt8(ascii: "\""))
  }

  /// Appends bytes between two others.
  private mutating func append(_ quote: UInt8, around bytes: UnsafeBufferPointer<UInt8>) {
    reserve(bytes.count &+ 2)
    let start = count
    unsafe memory.withUnsafeMutableBufferPointer {
      unsafe $0[start] = quote
      let end = unsafe $0[(start &+ 1)...].update(fromContentsOf: bytes)
      unsafe $0[end] = quote
    }
    count &+= bytes.count &+ 2
  }

  private mutating func appendEscaped(_ text: JSONText, _ escapesSlashes: Bool) {
    var copied = 0
    var position = 0
    while position < text.count {
      if let word = text.word(at: position), !word.needsEscape(slashes: escapesSlashes) {
        position &+= 8
        continue
      }
      let end = min(position &+ 8, text.count)
      while position < end {
        let byte = text[position]
        if byte.needsEscape(slashes: escapesSlashes) {
          append(text, copied..<position)
          append(escape: byte)
          copied = position &+ 1
        }
        position &+= 1
      }
    }
    append(text, copied..<text.count)
  }

  private mutating func append(_ text: JSONText, _ range: Range<Int>) {
    unsafe text.withBytes(at: range.lowerBound, range.count) { unsafe append($0) }
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
      append("u00")
      append(UInt8(ascii: "0") + byte >> 4)
      let digit = byte & 0xF
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    default: append(byte)
    }
  }
}

extension JSONText {
  /// Whether one of the bytes needs an escape.
  @inline(__always)
  fileprivate func needsEscape(slashes: Bool) -> Bool {
    guard count >= 8 else { return (0..<count).contains { self[$0].needsEscape(slashes: slashes) } }
    var position = 0
    while position < count {
      // The last eight bytes are looked at as a whole, although some were before.
      let word = word(at: min(position, count &- 8)) ?? 0
      if word.needsEscape(slashes: slashes) { return true }
      position &+= 8
    }
    return false
  }
}

extension UInt8 {
  @inline(__always)
  fileprivate func needsEscape(slashes: Bool) -> Bool {
    self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\")
      || self == UInt8(ascii: "/") && slashes
  }
}

extension UInt64 {
  /// Whether one of the eight bytes needs an escape.
  @inline(__always)
  fileprivate func needsEscape(slashes: Bool) -> Bool {
    var found = (self &- 0x2020_2020_2020_2020) & ~self
    found |= zeros(self ^ 0x2222_2222_2222_2222) | zeros(self ^ 0x5C5C_5C5C_5C5C_5C5C)
    if slashes { found |= zeros(self ^ 0x2F2F_2F2F_2F2F_2F2F) }
    return found & 0x8080_8080_8080_8080 != 0
  }

  /// Sets the highest bit of some byte if one of them is zero, and of none otherwise.
  @inline(__always)
  private func zeros(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }
}
