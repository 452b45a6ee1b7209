#if Curl && canImport(CResourceCurl)
  extension Inflater {
    /// The codes of blocks, and what their symbols stand for (RFC 1951 sections 3.2.5 to 3.2.7).
    enum Codes {
      static let literals = HuffmanTable(
        lengths: [8, 9, 7, 8].enumerated().flatMap {
          [UInt8](repeating: $1, count: [144, 112, 24, 8][$0])
        })
      static let distances = HuffmanTable(lengths: [UInt8](repeating: 5, count: 32))

      private static let lengthBases = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115,
        131,
        163, 195, 227, 258,
      ]
      private static let lengthBits = [
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
      ]
      /// The order in which the lengths of the code for lengths come.
      private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    }
  }

  extension Inflater.Codes {
    /// - Returns: How long a match is; `nil` if there isn't enough input.
    @inline(__always)
    static func length(of symbol: Int, _ reader: inout BitReader) throws(LoadError) -> Int? {
      let index = symbol - 257
      guard index < lengthBases.count else { throw .brokenCoding("there is no such length") }
      return reader.take(lengthBits[index]).map { lengthBases[index] + $0 }
    }

    /// - Returns: How far back a match is; `nil` if there isn't enough input.
    @inline(__always)
    static func distance(of symbol: Int, _ reader: inout BitReader) throws(LoadError) -> Int? {
      guard symbol < 30 else { throw .brokenCoding("there is no such distance") }
      guard symbol >= 4 else { return symbol + 1 }
      let bits = symbol / 2 - 1
      return reader.take(bits).map { (2 + symbol % 2) << bits + 1 + $0 }
    }
  }

  extension Inflater.Codes {
    /// Reads the codes at the beginning of a block.
    ///
    /// - Returns: `nil` if there isn't enough input.
    static func read(
      _ reader: inout BitReader
    ) throws(LoadError) -> (literals: HuffmanTable, distances: HuffmanTable)? {
      guard let more = reader.take(5), let moreDistances = reader.take(5),
        let count = reader.take(4)
      else { return nil }
      guard more <= 29, moreDistances <= 29 else { throw .brokenCoding("it has too many codes") }
      var lengthsOfLengths = [UInt8](repeating: 0, count: 19)
      for index in order.prefix(count + 4) {
        guard let length = reader.take(3) else { return nil }
        lengthsOfLengths[index] = UInt8(length)
      }
      guard let table = HuffmanTable(lengths: lengthsOfLengths) else { throw invalidCodes }
      let literalCount = more + 257
      guard
        let lengths = try readLengths(literalCount + moreDistances + 1, by: table, &reader)
      else { return nil }
      guard lengths[256] > 0, let literals = HuffmanTable(lengths: lengths[..<literalCount]),
        let distances = HuffmanTable(lengths: lengths[literalCount...])
      else { throw invalidCodes }
      return (literals, distances)
    }

    private static let invalidCodes = LoadError.brokenCoding("its codes are no codes")

    private static func readLengths(
      _ count: Int, by table: HuffmanTable, _ reader: inout BitReader
    ) throws(LoadError) -> [UInt8]? {
      var lengths: [UInt8] = []
      while lengths.count < count {
        reader.refill()
        guard case .symbol(let symbol, let length) = table.code(in: reader.bits, reader.count)
        else {
          if reader.count < 7 { return nil }
          throw invalidCodes
        }
        reader.skip(length)
        guard let run = run(of: symbol, after: lengths.last, &reader) else { return nil }
        guard let value = run.value, lengths.count + run.count <= count else { throw invalidCodes }
        lengths += repeatElement(value, count: run.count)
      }
      return lengths
    }

    /// - Returns: `nil` if there isn't enough input; a `nil` value if there is none to be repeated.
    private static func run(
      of symbol: Int, after last: UInt8?, _ reader: inout BitReader
    ) -> (value: UInt8?, count: Int)? {
      switch symbol {
      case 16: reader.take(2).map { (last, $0 + 3) }
      case 17: reader.take(3).map { (0, $0 + 3) }
      case 18: reader.take(7).map { (0, $0 + 11) }
      default: (UInt8(symbol), 1)
      }
    }
  }
#endif
