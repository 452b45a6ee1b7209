#if Curl && canImport(CResourceCurl)
  /// A prefix code of deflate (RFC 1951 section 3.2.2).
  struct HuffmanTable {
    /// What the next bits stand for.
    enum Code {
      case symbol(Int, length: Int)
      case needsMore
      case invalid
    }

    private static let fastBits = 9
    /// By the next 9 bits: a symbol above the 4 bits of its length, or 0 for longer codes.
    private var fast = [UInt16](repeating: 0, count: 1 << fastBits)
    /// How many codes there are of each length.
    private var counts = [Int](repeating: 0, count: 16)
    /// In the order of their codes.
    private var symbols: [UInt16]

    /// - Parameter lengths: The length of each symbol's code, at most 15; 0 for those that don't occur.
    /// - Returns: `nil` if there is no such code. One that lacks codes is none, unless it has one or none.
    init?(lengths: some Collection<UInt8>) {
      for length in lengths { counts[Int(length)] += 1 }
      let used = lengths.count - counts[0]
      counts[0] = 0
      var left = 1
      for length in 1...15 {
        left = left << 1 - counts[length]
        guard left >= 0 else { return nil }
      }
      guard left == 0 || used <= 1 else { return nil }
      symbols = [UInt16](repeating: 0, count: used)
      fill(lengths)
    }

    private mutating func fill(_ lengths: some Collection<UInt8>) {
      var codes = [Int](repeating: 0, count: 17)
      var places = [Int](repeating: 0, count: 17)
      for length in 1...15 {
        codes[length + 1] = (codes[length] + counts[length]) << 1
        places[length + 1] = places[length] + counts[length]
      }
      for (symbol, length) in lengths.enumerated() where length > 0 {
        symbols[places[Int(length)]] = UInt16(symbol)
        places[Int(length)] += 1
        enter(symbol, codes[Int(length)], Int(length))
        codes[Int(length)] += 1
      }
    }

    private mutating func enter(_ symbol: Int, _ code: Int, _ length: Int) {
      guard length <= Self.fastBits else { return }
      var reversed = 0
      for bit in 0..<length where code >> bit & 1 == 1 { reversed |= 1 << (length - 1 - bit) }
      for index in stride(from: reversed, to: fast.count, by: 1 << length) {
        fast[index] = UInt16(symbol << 4 | length)
      }
    }
  }

  extension HuffmanTable {
    /// The symbol at the beginning of some bits.
    ///
    /// - Parameters:
    ///   - bits: The next bits, the first one lowest.
    ///   - count: How many of them there are.
    @inline(__always)
    func code(in bits: UInt64, _ count: Int) -> Code {
      let entry = Int(fast[Int(bits & UInt64(1 << Self.fastBits - 1))])
      let length = entry & 15
      guard length > 0 else { return slowCode(in: bits, count) }
      return length <= count ? .symbol(entry >> 4, length: length) : .needsMore
    }

    private func slowCode(in bits: UInt64, _ count: Int) -> Code {
      var (code, first, place) = (0, 0, 0)
      for length in 1...15 {
        guard length <= count else { return .needsMore }
        code |= Int(bits >> UInt64(length - 1) & 1)
        if code - first < counts[length] {
          return .symbol(Int(symbols[place + code - first]), length: length)
        }
        place += counts[length]
        first = (first + counts[length]) << 1
        code <<= 1
      }
      return .invalid
    }
  }
#endif
