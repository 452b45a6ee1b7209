/// Finds values in a text that arrives in pieces, and lists their words.
protocol PieceScanner {
  var indexer: Indexer { get set }
  /// The values that have been found since ``PieceScanner/drop(_:)``.
  var batch: Batch { get set }
  /// The offset of the first byte that is needed when more text is there.
  var needed: Int { get }

  /// Reads on in a text.
  ///
  /// - Parameters:
  ///   - text: What has arrived and isn't dropped.
  ///   - origin: Where that begins.
  ///   - isLast: Whether no more text follows.
  mutating func scan(_ text: JSONText, _ origin: TextOrigin, isLast: Bool) throws -> ScanEvent

  /// The keys to the container of the values, in the whole document.
  var outerPath: [any CodingKey] { get }

  /// Moves to a text without its first bytes, and drops the batch.
  mutating func drop(_ bytes: Int)

  /// Goes on behind a mistake in the text.
  ///
  /// - Returns: Whether that is possible.
  mutating func recover() -> Bool
}

/// The reason why a scanner has stopped.
enum ScanEvent {
  /// It has read everything that is there.
  case needsMore
  /// It can go on, but the batch has to be taken first.
  case full
  case end
}

/// Values that are complete.
struct Batch {
  /// The number of values.
  var count = 0
  /// The number of words, the first `null` included.
  var words = 1
  /// The ranges of the values in the text.
  var ranges: [Range<Int>] = []
  /// The number of values before this batch.
  var first = 0

  mutating func append(upTo words: Int, _ range: Range<Int>) {
    count += 1
    self.words = words
    ranges.append(range)
  }

  /// Begins the next batch.
  mutating func restart() {
    first += count
    (count, words) = (0, 1)
    ranges.removeAll(keepingCapacity: true)
  }
}

/// A value, or a token outside of all values, with more bytes than are allowed.
struct OversizeScan: Error {
  let offset: Int
}
