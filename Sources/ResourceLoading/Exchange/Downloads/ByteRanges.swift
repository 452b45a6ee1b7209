/// A set of bytes of a file, as ranges in their order that don't touch each other.
struct ByteRanges: Sendable, Hashable {
  private(set) var ranges: [Range<Int>] = []

  /// Adds the bytes of a range.
  mutating func insert(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.endIndex
    var (last, joined) = (first, range)
    while last < ranges.endIndex, ranges[last].lowerBound <= range.upperBound {
      joined =
        min(
          joined.lowerBound, ranges[last].lowerBound)..<max(
          joined.upperBound, ranges[last].upperBound)
      last += 1
    }
    ranges.replaceSubrange(first..<last, with: [joined])
  }

  /// The number of bytes.
  var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// The offset before which nothing is missing.
  var frontier: Int {
    guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
    return first.upperBound
  }

  /// The first range below an offset that is missing; `nil` if there is none.
  func firstGap(below end: Int) -> Range<Int>? {
    let frontier = frontier
    guard frontier < end else { return nil }
    let next = ranges.first { $0.lowerBound > frontier }?.lowerBound ?? end
    return frontier..<min(next, end)
  }
}

extension ByteRanges: Codable {
  /// Reads ranges, which have to be in order and must not touch each other.
  init(from decoder: any Decoder) throws {
    ranges = try [Range<Int>](from: decoder)
    let isInOrder = zip(ranges, ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
    guard isInOrder, ranges.allSatisfy({ !$0.isEmpty && $0.lowerBound >= 0 }) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "The ranges aren't in order."))
    }
  }

  func encode(to encoder: any Encoder) throws { try ranges.encode(to: encoder) }
}
