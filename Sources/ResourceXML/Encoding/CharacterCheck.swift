/// Holds bytes against UTF-8 and production 2, once for all, so that nothing behind has to.
struct CharacterCheck {
  /// How far the bytes from `start` on are whole characters of XML.
  ///
  /// - Returns: The end of what is good, and what is wrong there, if anything is. A character that
  ///   isn't complete at the end is neither, unless `isFinal`.
  func goodEnd(
    _ bytes: Span<UInt8>, from start: Int, isFinal: Bool
  ) -> (end: Int, failure: Failure?) {
    var i = start
    while i < bytes.count {
      i = plainEnd(bytes, from: i)
      guard i < bytes.count else { break }
      let first = bytes[i]
      if first < 0x80 {
        guard first >= 0x20 || first.isXMLSpace else { return (i, forbidden(at: i)) }
        i &+= 1
        continue
      }
      let length = sequenceLength(bytes, i)
      if length == 0 || (length < 0 && isFinal) { return (i, invalid(at: i)) }
      if length < 0 { return (i, nil) }
      if first == 0xEF, bytes[i + 1] == 0xBF, bytes[i + 2] >= 0xBE { return (i, forbidden(at: i)) }
      i &+= length
    }
    return (i, nil)
  }

  /// The end of the bytes that are printing ASCII, eight at a time.
  @inline(__always)
  private func plainEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var i = start
    while i &+ 8 <= bytes.count {
      let word = bytes.word(at: i)
      let low = (word &- 0x2020_2020_2020_2020) & ~word
      let hits = (word | low) & 0x8080_8080_8080_8080
      if hits != 0 { return i &+ hits.trailingZeroBitCount >> 3 }
      i &+= 8
    }
    while i < bytes.count, bytes[i] >= 0x20, bytes[i] < 0x80 { i &+= 1 }
    return i
  }

  /// The length of the sequence at `i` (Unicode, table 3-7): 0 when it is wrong, −1 when it is cut.
  @inline(__always)
  private func sequenceLength(_ bytes: Span<UInt8>, _ i: Int) -> Int {
    let first = bytes[i]
    let length: Int
    var range: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, range) = (3, 0xA0...0xBF)
    case 0xED: (length, range) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, range) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, range) = (4, 0x80...0x8F)
    default: return 0
    }
    for offset in 1..<length {
      guard i &+ offset < bytes.count else { return -1 }
      guard range.contains(bytes[i &+ offset]) else { return 0 }
      range = 0x80...0xBF
    }
    return length
  }

  private func invalid(at offset: Int) -> Failure {
    Failure(.invalidBytes, "these bytes aren't UTF-8", at: offset)
  }

  private func forbidden(at offset: Int) -> Failure {
    Failure(.invalidCharacter, "a character that XML doesn't allow", at: offset)
  }
}
