#if Curl && canImport(CResourceCurl)
  extension BitReader {
    /// Skips what comes before the deflated bytes in a file of `gzip` (RFC 1952 section 2.3).
    ///
    /// - Returns: Whether there was enough input.
    /// - Throws: `LoadError` if it is something else.
    mutating func skipGzipHeader() throws(LoadError) -> Bool {
      guard let magic = take(16), let method = take(8), let flags = take(8), take(32) != nil,
        take(16) != nil
      else { return false }
      guard magic == 0x8B1F, method == 8, flags & 0xE0 == 0 else {
        throw .brokenCoding("it isn't gzip")
      }
      if flags & 4 != 0 {
        guard let count = take(16), skipBytes(count) else { return false }
      }
      if flags & 8 != 0, !skipText() { return false }
      if flags & 16 != 0, !skipText() { return false }
      return flags & 2 == 0 || take(16) != nil
    }

    /// Skips what comes before the deflated bytes in `deflate` (RFC 1950 section 2.2).
    ///
    /// - Returns: Whether there was such a thing; `nil` if there wasn't enough input.
    /// - Throws: `LoadError` if it is something that can't be decoded.
    mutating func skipDeflateHeader() throws(LoadError) -> Bool? {
      guard let header = take(16) else { return nil }
      let (method, flags) = (header & 0xFF, header >> 8)
      guard method & 0x0F == 8, method >> 4 <= 7, (method << 8 | flags) % 31 == 0 else {
        return false
      }
      guard flags & 0x20 == 0 else { throw .brokenCoding("it needs a dictionary") }
      return true
    }

    private mutating func skipBytes(_ count: Int) -> Bool {
      for _ in 0..<count where take(8) == nil { return false }
      return true
    }

    /// Skips bytes up to and with a zero.
    private mutating func skipText() -> Bool {
      while let byte = take(8) {
        if byte == 0 { return true }
      }
      return false
    }
  }
#endif
