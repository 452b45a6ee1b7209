/// The steps of a scanner. Searches read eight bytes at a time.
extension Span<UInt8> {
  /// Returns eight bytes at an offset, the first one in the lowest bits. Any eight bytes are a
  /// valid number.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// Returns the offset of the first `<`, `&`, `]` or CR at or after `start`; otherwise `count`.
  @inline(__always)
  func textEnd(from start: Int) -> Int {
    var i = start
    while i &+ 8 <= count {
      let word = word(at: i)
      let hits =
        word.zeros(after: 0x3C3C_3C3C_3C3C_3C3C) | word.zeros(after: 0x2626_2626_2626_2626)
        | word.zeros(after: 0x5D5D_5D5D_5D5D_5D5D) | word.zeros(after: 0x0D0D_0D0D_0D0D_0D0D)
      if hits != 0 { return i &+ hits.trailingZeroBitCount >> 3 }
      i &+= 8
    }
    while i < count {
      let byte = self[i]
      if byte == .lessThan || byte == .ampersand || byte == .rightBracket
        || byte == .carriageReturn
      {
        return i
      }
      i &+= 1
    }
    return i
  }

  /// Returns the offset of the first `byte` at or after `start`; otherwise `nil`.
  func first(_ byte: UInt8, from start: Int) -> Int? {
    let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
    var i = start
    while i &+ 8 <= count {
      let hits = word(at: i).zeros(after: pattern)
      if hits != 0 { return i &+ hits.trailingZeroBitCount >> 3 }
      i &+= 8
    }
    while i < count {
      if self[i] == byte { return i }
      i &+= 1
    }
    return nil
  }

  /// Returns the offset of the first byte at or after `start` that isn't white space; otherwise
  /// `count`.
  @inline(__always)
  func skipSpace(from start: Int) -> Int {
    var i = start
    while i < count, self[i].isXMLSpace { i &+= 1 }
    return i
  }

  /// Returns whether the ASCII `text` is at `offset`.
  func has(_ text: StaticString, at offset: Int) throws(Failure) -> Bool {
    for i in 0..<text.utf8CodeUnitCount {
      guard offset + i < count else { throw .end(at: count) }
      guard self[offset + i] == text.byte(at: i) else { return false }
    }
    return true
  }

  @inline(__always)
  func byte(at offset: Int) throws(Failure) -> UInt8 {
    guard offset < count else { throw .end(at: count) }
    return self[offset]
  }

  /// Returns the code point at `offset` and its length. The bytes are known to be UTF-8.
  func scalar(at offset: Int) -> (value: UInt32, length: Int) {
    let first = UInt32(self[offset])
    func next(_ i: Int) -> UInt32 { offset + i < count ? UInt32(self[offset + i]) & 0x3F : 0 }
    switch first {
    case 0..<0x80: return (first, 1)
    case 0x80..<0xE0: return ((first & 0x1F) << 6 | next(1), 2)
    case 0xE0..<0xF0: return ((first & 0x0F) << 12 | next(1) << 6 | next(2), 3)
    default: return ((first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), 4)
    }
  }

  /// Returns the text of a range, with line ends unchanged.
  func string(_ range: Range<Int>) -> String {
    // The string copies the bytes.
    unsafe extracting(range).withUnsafeBufferPointer {
      unsafe String(decoding: $0, as: UTF8.self)
    }
  }
}

extension StaticString {
  /// The byte at an index of an ASCII literal.
  func byte(at index: Int) -> UInt8 {
    withUTF8Buffer { unsafe $0[index] }
  }
}

extension UInt64 {
  /// Returns the high bit of each byte that equals the byte of `pattern`. Only the lowest bit is
  /// reliable.
  @inline(__always)
  func zeros(after pattern: UInt64) -> UInt64 {
    let difference = self ^ pattern
    return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
  }
}

extension Span<UInt8> {
  /// Returns the end of the Name (production 5) that begins at `start`.
  @inline(__always)
  func nameEnd(from start: Int) throws(Failure) -> Int {
    guard start < count else { throw .end(at: count) }
    guard self[start].isASCIINameStart else { return try wideNameEnd(from: start) }
    return try nameTokenEnd(from: start &+ 1)
  }

  /// Returns the end of the name characters that begin at `start`; `start` itself if there are
  /// none.
  @inline(__always)
  func nameTokenEnd(from start: Int) throws(Failure) -> Int {
    var i = start
    while i < count {
      let byte = self[i]
      if byte.isASCIIName {
        i &+= 1
      } else if byte < 0x80 {
        return i
      } else {
        return try wideNameTokenEnd(from: i)
      }
    }
    throw .end(at: count)
  }

  private func wideNameEnd(from start: Int) throws(Failure) -> Int {
    let (value, length) = scalar(at: start)
    guard value.isXMLNameStart else { throw .syntax("a name is expected", at: start) }
    return try wideNameTokenEnd(from: start + length)
  }

  private func wideNameTokenEnd(from start: Int) throws(Failure) -> Int {
    var i = start
    while i < count {
      let (value, length) = scalar(at: i)
      guard value.isXMLName else { return i }
      i += length
    }
    throw .end(at: count)
  }
}

extension Span<UInt8> {
  /// Returns up to eight bytes of `start..<end`, padded with zeros.
  @inline(__always)
  func paddedWord(from start: Int, to end: Int) -> UInt64 {
    let length = end &- start
    if start &+ 8 <= count {
      let word = word(at: start)
      return length >= 8 ? word : word & ((1 &<< UInt64(length &* 8)) &- 1)
    }
    var word: UInt64 = 0
    for i in 0..<Swift.min(length, 8) { word |= UInt64(self[start + i]) << UInt64(i * 8) }
    return word
  }
}

extension Span<UInt8> {
  /// Reads the comment at `i`, and moves `i` after it.
  func comment(_ i: inout Int) throws(Failure) -> Range<Int> {
    guard try has("<!--", at: i) else { throw .syntax("“<!--” is expected", at: i) }
    let start = i + 4
    var end = start
    while true {
      guard let hyphen = first(.hyphen, from: end) else { throw .end(at: count) }
      end = hyphen
      if try byte(at: end + 1) == .hyphen { break }
      end += 1
    }
    guard try byte(at: end + 2) == .greaterThan else {
      throw .syntax("“--” isn't allowed in comments", at: end)
    }
    i = end + 3
    return start..<end
  }

  /// Returns the text of a range with line ends normalised (section 2.11).
  func lines(_ range: Range<Int>) -> String {
    let part = extracting(range)
    guard part.first(.carriageReturn, from: 0) != nil else { return string(range) }
    var text: [UInt8] = []
    for i in 0..<part.count {
      if part[i] != .carriageReturn {
        text.append(part[i])
      } else if i + 1 == part.count || part[i + 1] != .lineFeed {
        text.append(.lineFeed)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  mutating func append(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    guard start < end else { return }
    // The array copies the bytes.
    unsafe bytes.extracting(start..<end).withUnsafeBufferPointer {
      unsafe append(contentsOf: $0)
    }
  }

  mutating func append(scalar: UInt32) {
    guard let encoded = Unicode.Scalar(scalar).flatMap(UTF8.encode) else { return }
    append(contentsOf: encoded)
  }
}
