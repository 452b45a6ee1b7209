internal import Foundation

/// JSON text in UTF-8, to which more is appended.
///
/// It has memory of its own, since an array in a class is checked for exclusive and for unique
/// access with each byte: that took a third of the time. All that writes to the memory is in this
/// file, and makes room first.
@safe
final class JSONBytes {
  private var start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity = 256

  init() {
    unsafe start = .allocate(capacity: capacity)
  }

  deinit { unsafe start.deallocate() }
}

extension JSONBytes {
  /// Makes room for more bytes.
  @inline(__always)
  private func reserve(_ more: Int) {
    if capacity &- count < more { grow(more) }
  }

  @inline(never)
  private func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    unsafe memory.update(from: start, count: count)
    unsafe start.deallocate()
    unsafe start = memory
    capacity = larger
  }

  /// Writes a byte into room that has been made.
  @inline(__always)
  private func put(_ byte: UInt8) {
    unsafe start[count] = byte
    count &+= 1
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    put(byte)
  }

  func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    reserve(bytes.count)
    guard let source = bytes.baseAddress else { return }
    unsafe (start + count).update(from: source, count: bytes.count)
    count &+= bytes.count
  }

  func append(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBufferPointer { unsafe append($0) } }

  func append(ascii text: String) {
    var text = text
    text.withUTF8 { unsafe append($0) }
  }

  @inline(__always)
  func append(_ value: Bool) { append(ascii: value ? "true" : "false") }

  @inline(__always)
  func appendNull() { append(ascii: "null") }

  func indent(_ level: Int) {
    reserve(level * 2)
    unsafe (start + count).update(repeating: UInt8(ascii: " "), count: level * 2)
    count &+= level * 2
  }
}

extension JSONBytes {
  /// The bytes of a range.
  func bytes(_ range: Range<Int>) -> [UInt8] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "outside the text")
    return unsafe Array(UnsafeBufferPointer(start: start + range.lowerBound, count: range.count))
  }

  /// All of the bytes.
  var bytes: [UInt8] { bytes(0..<count) }

  var data: Data { unsafe Data(bytes: start, count: count) }

  /// Removes the bytes from an offset to the end.
  func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count, "outside the text")
    self.count = count
  }

  /// Removes the bytes from an offset to the end, and returns them.
  func cut(from offset: Int) -> [UInt8] {
    defer { truncate(to: offset) }
    return bytes(offset..<count)
  }
}

extension JSONBytes {
  @inline(__always)
  func append<Number: FixedWidthInteger>(_ number: Number) {
    if let number = Int64(exactly: number) {
      append(digits: number.magnitude, isNegative: number < 0)
    } else if let number = UInt64(exactly: number) {
      append(digits: number, isNegative: false)
    } else {
      append(ascii: "\(number)")
    }
  }

  private func append(digits number: UInt64, isNegative: Bool) {
    // No number has more digits.
    reserve(21)
    if isNegative { put(UInt8(ascii: "-")) }
    count &+= number.decimalLength
    var position = count
    var rest = number
    repeat {
      position &-= 1
      let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
      unsafe start[position] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit)
      rest = quotient
    } while rest > 0
  }

  /// Appends the shortest text that is read back as the same number.
  @inline(__always)
  func append(_ number: some JSONFloat) {
    append(ascii: number.description)
    // A number in exponential form, or without a point, ends otherwise.
    if unsafe start[count &- 2] == UInt8(ascii: "."), unsafe start[count &- 1] == UInt8(ascii: "0")
    {
      count &-= 2
    }
  }
}

extension JSONBytes {
  /// Appends a time from 1601 to 9999 as a text in ISO 8601: `2024-03-05T10:20:30Z`.
  func append(iso8601 seconds: Int64) {
    // Days of years that begin in March, in periods of 400 years.
    let (days, second) = (seconds + 62_162_035_200).quotientAndRemainder(dividingBy: 86_400)
    let (period, day) = days.quotientAndRemainder(dividingBy: 146_097)
    let yearOfPeriod = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (yearOfPeriod * 365 + yearOfPeriod / 4 - yearOfPeriod / 100)
    let march = (dayOfYear * 5 + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    let year = period * 400 + yearOfPeriod + (month > 2 ? 0 : 1)
    reserve(22)
    put(UInt8(ascii: "\""))
    put(twoDigits: year / 100)
    put(twoDigits: year % 100, before: "-")
    put(twoDigits: month, before: "-")
    put(twoDigits: dayOfYear - (march * 153 + 2) / 5 + 1, before: "T")
    put(twoDigits: second / 3600, before: ":")
    put(twoDigits: second / 60 % 60, before: ":")
    put(twoDigits: second % 60, before: "Z")
    put(UInt8(ascii: "\""))
  }

  private func put(twoDigits number: Int64, before separator: Unicode.Scalar? = nil) {
    put(UInt8(ascii: "0") + UInt8(number / 10))
    put(UInt8(ascii: "0") + UInt8(number % 10))
    if let separator { put(UInt8(ascii: separator)) }
  }
}

extension UInt64 {
  /// The number of digits.
  fileprivate var decimalLength: Int {
    var length = 1
    var limit: UInt64 = 10
    while self >= limit, length < 19 {
      length &+= 1
      limit &*= 10
    }
    return self >= 10_000_000_000_000_000_000 ? 20 : length
  }
}

extension JSONBytes {
  /// Appends a text in quotes.
  ///
  /// - Returns: Whether all of its characters are ASCII.
  func append(_ string: String, escapingSlashes: Bool) -> Bool {
    var string = string
    return string.withUTF8 { unsafe appendQuoted($0, escapingSlashes) }
  }

  private func appendQuoted(
    _ source: UnsafeBufferPointer<UInt8>, _ escapesSlashes: Bool
  ) -> Bool {
    // Room for an escape in the place of one byte, and the quotes.
    reserve(source.count &+ 8)
    put(UInt8(ascii: "\""))
    let raw = UnsafeRawBufferPointer(source)
    var bits: UInt64 = 0
    var position = 0
    while position < source.count {
      if source.count &- position >= 8 {
        let word = unsafe raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        if !word.needsEscape(slashes: escapesSlashes) {
          unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt64.self)
          bits |= word
          count &+= 8
          position &+= 8
          continue
        }
      }
      let byte = unsafe source[position]
      bits |= UInt64(byte)
      position &+= 1
      if byte.needsEscape(slashes: escapesSlashes) {
        put(escape: byte)
        reserve(source.count &- position &+ 8)
      } else {
        put(byte)
      }
    }
    put(UInt8(ascii: "\""))
    return bits & 0x8080_8080_8080_8080 == 0
  }

  /// Writes an escape, which has at most six bytes, into room that has been made.
  private func put(escape byte: UInt8) {
    put(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: put(UInt8(ascii: "b"))
    case 0x09: put(UInt8(ascii: "t"))
    case 0x0A: put(UInt8(ascii: "n"))
    case 0x0C: put(UInt8(ascii: "f"))
    case 0x0D: put(UInt8(ascii: "r"))
    case 0..<0x20:
      for zero in "u00".utf8 { put(zero) }
      put(UInt8(ascii: "0") + byte >> 4)
      let digit = byte & 0xF
      put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    default: put(byte)
    }
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
