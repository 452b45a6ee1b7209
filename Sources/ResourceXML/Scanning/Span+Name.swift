extension Span<UInt8> {
  /// The end of the Name (production 5) that begins at `start`.
  ///
  /// - Throws: A syntax error when none begins there; the end when the bytes end within it.
  @inline(__always)
  func nameEnd(from start: Int) throws(Failure) -> Int {
    guard start < count else { throw .end(at: count) }
    guard self[start].isASCIINameStart else { return try wideNameEnd(from: start) }
    return try nameTokenEnd(from: start &+ 1)
  }

  /// The end of the run of name characters at or behind `start`; `start` itself when there is none.
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
  /// The bytes of `start..<end`, at most eight, zeros behind them.
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
