/// Finds the values of a text that has many of them, one behind the other.
struct SequenceScanner: PieceScanner {
  var indexer: Indexer
  var batch = Batch()
  private let form: JSONSequenceForm
  private let limit: Int
  private var state: State
  /// The offset of the value that is being read.
  private var start = 0
  /// The offset of the delimiter behind the record that is being read, if it has been found.
  private var delimiter: Int?
  /// The offset from which a delimiter is looked for.
  private var searched = 0

  private enum State {
    /// The separator of the first record is next.
    case separator
    /// A value is next.
    case next
    case value
    /// A number or a word is complete if white space follows.
    case scalar
    /// The rest of the record must be white space.
    case tail
    /// The rest of a broken record is skipped.
    case broken
  }

  init(_ text: JSONText, _ form: JSONSequenceForm, limit: Int) {
    indexer = Indexer(text)
    self.form = form
    self.limit = limit
    state = form == .recordSeparated ? .separator : .next
  }
}

extension SequenceScanner {
  var outerPath: [any CodingKey] { [] }

  mutating func scan(
    _ text: JSONText, _ origin: TextOrigin, isLast: Bool
  ) throws -> ScanEvent {
    while true {
      find(in: text)
      indexer.text = delimiter.map { text.prefix($0) } ?? text
      let isWhole = isLast || delimiter != nil
      if case .value = state {
        guard try indexer.advance(isLast: isWhole) else { return try needMore() }
        try complete()
        continue
      }
      if case .broken = state { indexer.offset = indexer.text.count }
      if case .scalar = state {} else { indexer.skipSpace() }
      if indexer.offset < indexer.text.count {
        try step()
      } else if case .scalar = state, isWhole {
        throw JSONScanError("a record is cut off", at: start)
      } else if let delimiter {
        (indexer.offset, searched) = (delimiter + 1, delimiter + 1)
        self.delimiter = nil
        state = .next
      } else {
        guard isLast else { return try needMore() }
        return .end
      }
    }
  }

  /// Reads the next byte of a record.
  private mutating func step() throws {
    switch state {
    case .separator: throw mistake("a record separator is expected")
    case .next:
      indexer.begin(at: 0)
      start = indexer.offset
      state = .value
    case .scalar:
      guard indexer.text[indexer.offset] <= 0x20 else { throw mistake("a record is cut off") }
      append()
    case .tail: throw mistake("there is more behind the value")
    case .value, .broken: break
    }
  }

  private func mistake(_ reason: String) -> JSONScanError {
    JSONScanError(reason, at: indexer.offset)
  }

  private mutating func complete() throws {
    guard indexer.offset - start <= limit else { throw OversizeScan(offset: start) }
    let value = IndexWord(bits: indexer.words[batch.words])
    if form == .recordSeparated, !value.isContainer, !value.isString {
      state = .scalar
    } else {
      append()
    }
  }

  private mutating func append() {
    batch.append(upTo: indexer.words.count, start..<indexer.offset)
    state = form == .concatenated ? .next : .tail
  }
}

extension SequenceScanner {
  /// Looks for the end of the record.
  private mutating func find(in text: JSONText) {
    guard delimiter == nil, let byte = form.delimiter, searched < text.count else { return }
    delimiter = text.offset(of: byte, in: searched..<text.count)
    searched = delimiter ?? text.count
  }

  var needed: Int {
    switch state {
    case .value, .scalar: start
    case .separator, .next, .tail, .broken: indexer.offset
    }
  }

  private func needMore() throws -> ScanEvent {
    guard indexer.text.count - needed <= limit else { throw OversizeScan(offset: needed) }
    return .needsMore
  }

  mutating func drop(_ bytes: Int) {
    switch state {
    case .value, .scalar:
      if batch.words > 1 || bytes > 0 { indexer.drop(before: batch.words, bytes) }
    case .separator, .next, .tail, .broken:
      indexer.words.removeAll(keepingCapacity: true)
      indexer.move(bytes)
    }
    start -= bytes
    searched -= bytes
    delimiter = delimiter.map { $0 - bytes }
    batch.restart()
  }

  mutating func recover() -> Bool {
    guard form != .concatenated else { return false }
    state = .broken
    return true
  }
}

extension JSONSequenceForm {
  /// The byte behind each value of the form, which can't be in a value.
  fileprivate var delimiter: UInt8? {
    switch self {
    case .concatenated: nil
    case .lines: 0x0A
    case .recordSeparated: 0x1E
    }
  }
}
