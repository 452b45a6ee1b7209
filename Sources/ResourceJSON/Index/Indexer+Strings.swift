extension Indexer {
  /// Reads a string: no control characters, escapes that stand for characters, valid UTF-8.
  ///
  /// - Parameter isName: Whether it is the name of a member.
  /// - Returns: Its word.
  @inline(__always)
  mutating func string(isName: Bool) throws(JSONScanError) -> UInt64 {
    let start = offset &+ 1
    var end = start
    // Most strings are short and plain.
    while let word = text.word(at: end) {
      let special = Self.specialBytes(in: word)
      guard special != 0 else {
        end &+= 8
        continue
      }
      end &+= special.trailingZeroBitCount &>> 3
      break
    }
    guard text[end] == UInt8(ascii: "\""), end &- start <= IndexWord.maximumLength else {
      return try unusualString(OpenString(from: start, to: end, isName: isName))
    }
    offset = end &+ 1
    return IndexWord(.ascii, at: start, length: end &- start).bits
  }

  /// Reads the rest of a string that isn't plain ASCII, or ends near the end of the text.
  @inline(never)
  mutating func unusualString(_ string: OpenString) throws(JSONScanError) -> UInt64 {
    let start = string.start
    var end = string.end
    var kind = string.kind
    while true {
      if let word = text.word(at: end) {
        let special = Self.specialBytes(in: word)
        if special == 0 {
          end &+= 8
          continue
        }
        end &+= special.trailingZeroBitCount &>> 3
      }
      let byte = text[end]
      switch byte {
      case UInt8(ascii: "\""):
        guard end - start <= IndexWord.maximumLength else {
          throw JSONScanError("a string is longer than 256 MiB", at: start - 1)
        }
        offset = end &+ 1
        return IndexWord(kind, at: start, length: end &- start).bits
      case UInt8(ascii: "\\") where end &+ 1 >= text.count:
        stop = .string(string.read(to: end, kind))
        throw JSONScanError("a string doesn't end", at: start - 1)
      case UInt8(ascii: "\\"):
        kind = .escaped
        do { end = try escape(at: end) } catch {
          stop = .string(string.read(to: end, kind))
          throw error
        }
      case 0x80...:
        if kind == .ascii { kind = .text }
        do { end = try characters(at: end) } catch {
          stop = .string(string.read(to: error.offset, kind))
          throw error
        }
      case 0..<0x20 where end >= text.count:
        stop = .string(string.read(to: end, kind))
        throw JSONScanError("a string doesn't end", at: start - 1)
      case 0..<0x20:
        throw JSONScanError("a string has a control character that isn't escaped", at: end)
      default: end &+= 1
      }
    }
  }

  /// Returns the high bit of the first byte that is a quote, a backslash, a control character, or
  /// not ASCII. Bits above it have no meaning.
  @inline(__always)
  private static func specialBytes(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5C)
    let found =
      (quotes &- ones) | (backslashes &- ones) | (word &- (ones &* 0x20)) | word
    return found & tops
  }

  /// Skips an escape.
  private func escape(at offset: Int) throws(JSONScanError) -> Int {
    switch text[offset + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return offset + 2
    case UInt8(ascii: "u"): break
    default: throw JSONScanError("a string has an unknown escape", at: offset)
    }
    guard let unit = text.hexadecimal(at: offset + 2) else {
      throw JSONScanError("an escape “\\u” needs four hexadecimal digits", at: offset)
    }
    guard 0xD800..<0xE000 ~= unit else { return offset + 6 }
    guard unit < 0xDC00, text[offset + 6] == UInt8(ascii: "\\"),
      text[offset + 7] == UInt8(ascii: "u"), let low = text.hexadecimal(at: offset + 8),
      0xDC00..<0xE000 ~= low
    else { throw JSONScanError("an escape has half of a surrogate pair", at: offset) }
    return offset + 12
  }

  /// Skips characters that aren't ASCII.
  private func characters(at start: Int) throws(JSONScanError) -> Int {
    var offset = start
    while true {
      // Most have three bytes. The second is restricted behind the leads E0 and ED.
      while let word = text.word(at: offset), word & 0xC0_C0F0 == 0x80_80E0, word & 0x0F != 0,
        word & 0x0F != 0x0D
      {
        offset &+= 3
      }
      let lead = text[offset]
      guard lead >= 0x80 else { return offset }
      let second = text[offset &+ 1]
      let length: Int
      switch lead {
      case 0xE1...0xEC, 0xEE, 0xEF: length = second & 0xC0 == 0x80 ? 3 : 0
      case 0xC2...0xDF: length = second & 0xC0 == 0x80 ? 2 : 0
      case 0xE0: length = second & 0xE0 == 0xA0 ? 3 : 0
      case 0xED: length = second & 0xE0 == 0x80 ? 3 : 0
      case 0xF0: length = 0x90...0xBF ~= second ? 4 : 0
      case 0xF1...0xF3: length = second & 0xC0 == 0x80 ? 4 : 0
      case 0xF4: length = second & 0xF0 == 0x80 ? 4 : 0
      default: length = 0
      }
      guard length > 0, length < 3 || text[offset &+ 2] & 0xC0 == 0x80,
        length < 4 || text[offset &+ 3] & 0xC0 == 0x80
      else { throw JSONScanError("the text isn't valid UTF-8", at: offset) }
      offset &+= length
    }
  }
}
