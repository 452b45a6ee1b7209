extension Indexer {
  /// Reads a number by the grammar.
  ///
  /// - Returns: Its word.
  @inline(__always)
  mutating func number() throws(JSONMistake) -> UInt64 {
    let start = offset
    var end = start
    if text[end] == UInt8(ascii: "-") { end &+= 1 }
    if text[end] == UInt8(ascii: "0") {
      end &+= 1
    } else {
      end = try digits(from: end)
    }
    var kind = IndexWord.Kind.integer
    if text[end] == UInt8(ascii: ".") {
      kind = .real
      end = try digits(from: end &+ 1)
    }
    if text[end] | 0x20 == UInt8(ascii: "e") {
      kind = .real
      end &+= 1
      if text[end] == UInt8(ascii: "+") || text[end] == UInt8(ascii: "-") { end &+= 1 }
      end = try digits(from: end)
    }
    guard !Self.isNumberByte(text[end]), end &- start <= IndexWord.maximumLength else {
      throw brokenNumber(from: start, end)
    }
    offset = end
    return IndexWord(kind, at: start, length: end &- start).bits
  }

  /// Steps over digits, at least one.
  @inline(__always)
  private func digits(from start: Int) throws(JSONMistake) -> Int {
    guard text[start] &- UInt8(ascii: "0") < 10 else {
      throw JSONMistake(
        start < text.count ? "a number lacks a digit" : "the text ends too early", at: start)
    }
    var end = start &+ 1
    while let word = text.word(at: end), word.isDigits { end &+= 8 }
    while text[end] &- UInt8(ascii: "0") < 10 { end &+= 1 }
    return end
  }

  /// Whether a byte behind a number shows that something is wrong with the number itself.
  @inline(__always)
  private static func isNumberByte(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10
  }

  @inline(never)
  private func brokenNumber(from start: Int, _ end: Int) -> JSONMistake {
    if end - start > IndexWord.maximumLength {
      return JSONMistake("a number is longer than 256 MiB", at: start)
    }
    return JSONMistake("a number has a leading zero", at: start)
  }
}

extension UInt64 {
  /// Whether all eight bytes are ASCII digits.
  @inline(__always)
  var isDigits: Bool {
    (self & 0xF0F0_F0F0_F0F0_F0F0)
      | (((self &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0) &>> 4)
      == 0x3333_3333_3333_3333
  }

  /// The number that eight ASCII digits stand for, the first of them in the lowest byte.
  @inline(__always)
  var numberOfDigits: UInt64 {
    var pairs = self &- 0x3030_3030_3030_3030
    pairs = (pairs &* 10) &+ (pairs &>> 8)
    let mask: UInt64 = 0x0000_00FF_0000_00FF
    let low = (pairs & mask) &* 0x000F_4240_0000_0064
    let high = ((pairs &>> 16) & mask) &* 0x0000_2710_0000_0001
    return (low &+ high) &>> 32
  }
}
