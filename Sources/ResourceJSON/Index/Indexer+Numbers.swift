extension Indexer {
  /// Reads a number by the grammar.
  ///
  /// - Returns: Its word.
  @inline(__always)
  mutating func number() throws(JSONScanError) -> UInt64 {
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

  /// Skips digits, at least one.
  @inline(__always)
  private mutating func digits(from start: Int) throws(JSONScanError) -> Int {
    guard text[start] &- UInt8(ascii: "0") < 10 else { throw missingDigit(at: start) }
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
  private mutating func missingDigit(at position: Int) -> JSONScanError {
    guard position >= text.count else {
      return JSONScanError("a number lacks a digit", at: position)
    }
    stop = .number(read: position)
    return JSONScanError("the text ends too early", at: position)
  }

  @inline(never)
  private func brokenNumber(from start: Int, _ end: Int) -> JSONScanError {
    if end - start > IndexWord.maximumLength {
      return JSONScanError("a number is longer than 256 MiB", at: start)
    }
    return JSONScanError("a number has a leading zero", at: start)
  }
}
