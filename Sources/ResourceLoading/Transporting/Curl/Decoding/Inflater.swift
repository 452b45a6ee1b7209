#if Curl && canImport(CResourceCurl)
  /// Decompresses deflate (RFC 1951), piece by piece, in memory that doesn't grow.
  final class Inflater {
    /// Why ``inflate(_:_:)`` returned.
    enum Step {
      case needsMore
      /// The receiver of the output wants no more.
      case stopped
      case finished
    }

    private enum Stage {
      case block
      case stored(Int)
      case codes(literals: HuffmanTable, distances: HuffmanTable)
    }

    private static let history = 32 << 10
    private static let longestMatch = 258

    /// The last 32 KiB of the output, and 64 KiB for more.
    private let window = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 96 << 10)
    /// Where the output begins that hasn't been emitted, and where it ends.
    private var start = 0
    private var end = 0
    private var stage = Stage.block
    private var isLast = false

    deinit {
      window.deallocate()
    }
  }

  extension Inflater {
    /// Decompresses as much as there is.
    ///
    /// - Parameters:
    ///   - reader: What there is.
    ///   - emit: Takes the output, and says whether to go on.
    /// - Throws: `LoadError` if it isn't deflate, and what `emit` throws.
    func inflate(
      _ reader: inout BitReader, _ emit: ContentDecoding.Emit
    ) throws(LoadError) -> Step {
      while true {
        let isStuck: Bool
        switch stage {
        case .block:
          if isLast { return try flush(emit) ? .finished : .stopped }
          isStuck = try !beginBlock(&reader)
        case .stored(let count): isStuck = !copyStored(count, &reader)
        case .codes(let literals, let distances):
          isStuck = try !decode(&reader, literals, distances)
        }
        if isStuck || end + Self.longestMatch > window.count {
          guard try flush(emit) else { return .stopped }
          if isStuck { return .needsMore }
        }
      }
    }

    private func flush(_ emit: ContentDecoding.Emit) throws(LoadError) -> Bool {
      let output = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(window)[start..<end])
      start = end
      let goesOn = output.isEmpty ? true : try emit(output)
      if end > window.count - Self.history {
        let kept = UnsafeRawBufferPointer(window)[(end - Self.history)..<end]
        UnsafeMutableRawBufferPointer(window)
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: kept))
        (start, end) = (Self.history, Self.history)
      }
      return goesOn
    }
  }

  // MARK: - Blocks

  // Each of these goes back to where it began if there isn't enough input, and returns whether there was.

  extension Inflater {
    private func beginBlock(_ reader: inout BitReader) throws(LoadError) -> Bool {
      let mark = reader
      guard let isLast = reader.take(1), let type = reader.take(2),
        let stage = try stage(type, &reader)
      else {
        reader = mark
        return false
      }
      (self.isLast, self.stage) = (isLast == 1, stage)
      return true
    }

    private func stage(_ type: Int, _ reader: inout BitReader) throws(LoadError) -> Stage? {
      switch type {
      case 0:
        reader.alignToByte()
        guard let count = reader.take(16), let complement = reader.take(16) else { return nil }
        guard count == complement ^ 0xFFFF else { throw .brokenCoding("a length is wrong") }
        return .stored(count)
      case 1:
        guard let literals = Codes.literals, let distances = Codes.distances else { return nil }
        return .codes(literals: literals, distances: distances)
      case 2:
        guard let codes = try Codes.read(&reader) else { return nil }
        return .codes(literals: codes.literals, distances: codes.distances)
      default: throw .brokenCoding("there is no such block")
      }
    }

    private func copyStored(_ count: Int, _ reader: inout BitReader) -> Bool {
      var count = count
      while count > 0, end < window.count {
        guard let byte = reader.take(8) else {
          stage = .stored(count)
          return false
        }
        window[end] = UInt8(byte)
        end += 1
        count -= 1
      }
      stage = count > 0 ? .stored(count) : .block
      return true
    }

    private func decode(
      _ input: inout BitReader, _ literals: HuffmanTable, _ distances: HuffmanTable
    ) throws(LoadError) -> Bool {
      var reader = input
      defer { input = reader }
      while end + Self.longestMatch <= window.count {
        reader.refill()
        let mark = reader
        switch literals.code(in: reader.bits, reader.count) {
        case .needsMore: return false
        case .invalid: throw .brokenCoding("there is no such code")
        case .symbol(let symbol, let length):
          reader.skip(length)
          if symbol < 256 {
            window[end] = UInt8(symbol)
            end += 1
          } else if symbol == 256 {
            stage = .block
            return true
          } else if try !copyMatch(symbol, &reader, distances) {
            reader = mark
            return false
          }
        }
      }
      return true
    }

    private func copyMatch(
      _ symbol: Int, _ reader: inout BitReader, _ distances: HuffmanTable
    ) throws(LoadError) -> Bool {
      guard let length = try Codes.length(of: symbol, &reader) else { return false }
      switch distances.code(in: reader.bits, reader.count) {
      case .needsMore: return false
      case .invalid: throw .brokenCoding("there is no such code")
      case .symbol(let symbol, let codeLength):
        reader.skip(codeLength)
        guard let distance = try Codes.distance(of: symbol, &reader) else { return false }
        guard distance <= end else { throw .brokenCoding("it refers to before its beginning") }
        for index in end..<(end + length) { window[index] = window[index - distance] }
        end += length
        return true
      }
    }
  }
#endif
