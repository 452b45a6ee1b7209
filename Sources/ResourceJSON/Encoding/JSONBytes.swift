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
  private var capacity = JSONBytes.smallest

  private static let smallest = 256

  init() {
    unsafe start = Self.resized(nil, to: capacity)
  }

  deinit { unsafe free(start) }

  /// Memory of the C library grows without being copied when it is large, and `Data` takes it over.
  private static func resized(
    _ memory: UnsafeMutablePointer<UInt8>?, to capacity: Int
  ) -> UnsafeMutablePointer<UInt8> {
    guard let memory = unsafe realloc(memory, capacity) else {
      preconditionFailure("no memory for \(capacity) bytes of JSON")
    }
    return unsafe memory.assumingMemoryBound(to: UInt8.self)
  }
}

extension JSONBytes {
  /// Makes room for more bytes.
  @inline(__always)
  private func reserve(_ more: Int) {
    if capacity &- count < more { grow(more) }
  }

  @inline(never)
  private func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    unsafe start = Self.resized(start, to: capacity)
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

  /// Appends bytes of which there are likely to be 8 to 32: in whole words, of which the last two
  /// may overlap the others.
  @inline(__always)
  private func appendShort(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard 8...32 ~= bytes.count else { return unsafe append(bytes) }
    reserve(bytes.count)
    let from = UnsafeRawBufferPointer(bytes)
    let to = unsafe UnsafeMutableRawPointer(start + count)
    func copy(_ position: Int) {
      let word = unsafe from.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      unsafe to.storeBytes(of: word, toByteOffset: position, as: UInt64.self)
    }
    copy(0)
    if bytes.count > 16 {
      copy(8)
      copy(bytes.count &- 16)
    }
    copy(bytes.count &- 8)
    count &+= bytes.count
  }

  func append(_ bytes: ArraySlice<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
  }

  /// Appends a few bytes of another text.
  @inline(__always)
  func append(short other: JSONBytes, _ range: Range<Int>) {
    let offset = range.lowerBound
    let length = range.count
    precondition(offset >= 0 && length >= 0 && offset <= other.count &- length, "outside the text")
    reserve(length &+ 8)
    let from = unsafe UnsafeRawPointer(other.start + offset)
    let to = unsafe UnsafeMutableRawPointer(start + count)
    var position = 0
    // Whole words, as long as they lie in the other's memory.
    while position < length, offset &+ position &+ 8 <= other.capacity {
      let word = unsafe from.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      unsafe to.storeBytes(of: word, toByteOffset: position, as: UInt64.self)
      position &+= 8
    }
    while position < length {
      unsafe start[count &+ position] = other.start[offset &+ position]
      position &+= 1
    }
    count &+= length
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

  /// Returns all of the bytes, and begins anew.
  func takeData() -> Data {
    // A short text is copied faster than its memory is handed over.
    guard count > 4_096 else { return unsafe Data(bytes: start, count: count) }
    let data = unsafe Data(
      bytesNoCopy: Self.resized(start, to: count), count: count, deallocator: .free)
    capacity = Self.smallest
    count = 0
    unsafe start = Self.resized(nil, to: capacity)
    return data
  }

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

/// Where in a text a member is.
struct MemberMark {
  /// The position of its name in a table.
  var name: Int
  /// Where the separator before the member begins.
  var start: Int
  /// Where its name begins.
  var label: Int
  /// Where its value begins.
  var value: Int

  /// The number of bytes of a mark.
  static let length = 32
}

extension JSONBytes {
  /// Appends a mark, in bytes that are no text.
  @inline(__always)
  func append(_ mark: MemberMark) {
    reserve(MemberMark.length)
    unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: mark, as: MemberMark.self)
    count &+= MemberMark.length
  }

  func mark(at offset: Int) -> MemberMark {
    precondition(offset >= 0 && offset <= count - MemberMark.length, "outside the marks")
    return unsafe UnsafeRawPointer(start + offset).loadUnaligned(as: MemberMark.self)
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
    while rest >= 100 {
      let (quotient, digits) = rest.quotientAndRemainder(dividingBy: 100)
      position &-= 2
      put(twoDigits: UInt8(truncatingIfNeeded: digits), at: position)
      rest = quotient
    }
    if rest >= 10 {
      put(twoDigits: UInt8(truncatingIfNeeded: rest), at: position &- 2)
    } else {
      unsafe start[position &- 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest)
    }
  }

  @inline(__always)
  private func put(twoDigits number: UInt8, at position: Int) {
    let (tens, ones) = number.quotientAndRemainder(dividingBy: 10)
    unsafe start[position] = UInt8(ascii: "0") &+ tens
    unsafe start[position &+ 1] = UInt8(ascii: "0") &+ ones
  }

  /// Appends the shortest text that is read back as the same number.
  @inline(__always)
  func append(_ number: some JSONFloat) {
    var description = number.description
    description.withUTF8 { unsafe appendShort($0) }
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
    if self < 100 { return self < 10 ? 1 : 2 }
    if self < 10_000 { return self < 1_000 ? 3 : 4 }
    if self < 100_000_000 {
      return self < 1_000_000 ? (self < 100_000 ? 5 : 6) : (self < 10_000_000 ? 7 : 8)
    }
    return 8 + (self / 100_000_000).decimalLength
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
    // Room for whole words, an escape in the place of one byte, and the quotes.
    reserve(source.count &+ 16)
    put(UInt8(ascii: "\""))
    let raw = UnsafeRawBufferPointer(source)
    var bits: UInt64 = 0
    var position = 0
    while position < source.count {
      let rest = source.count &- position
      let word = unsafe raw.word(at: position, min(rest, 8))
      bits |= word
      if !word.needsEscape(slashes: escapesSlashes) {
        unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt64.self)
        count &+= min(rest, 8)
        position &+= 8
        continue
      }
      let end = position &+ min(rest, 8)
      while position < end {
        let byte = unsafe source[position]
        position &+= 1
        if byte.needsEscape(slashes: escapesSlashes) {
          put(escape: byte)
          reserve(source.count &- position &+ 16)
        } else {
          put(byte)
        }
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

extension UnsafeRawBufferPointer {
  /// Returns up to eight bytes as they stand in memory, with spaces behind fewer.
  @inline(__always)
  fileprivate func word(at offset: Int, _ count: Int) -> UInt64 {
    func load<Number: FixedWidthInteger>(_ type: Number.Type, _ position: Int) -> UInt64 {
      unsafe UInt64(
        truncatingIfNeeded: Number(
          littleEndian: loadUnaligned(fromByteOffset: offset &+ position, as: type)))
    }
    let spaces: UInt64 = 0x2020_2020_2020_2020
    let shift = UInt64(truncatingIfNeeded: count &* 8)
    let word: UInt64
    switch count {
    case 8: return unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    // Two parts that overlap.
    case 4...: word = load(UInt32.self, 0) | load(UInt32.self, count &- 4) &<< (shift &- 32)
    case 2...: word = load(UInt16.self, 0) | load(UInt16.self, count &- 2) &<< (shift &- 16)
    default: word = load(UInt8.self, 0)
    }
    return (word | spaces &<< shift).littleEndian
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
