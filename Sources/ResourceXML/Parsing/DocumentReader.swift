/// Feeds the grammar: transcodes, checks characters, keeps what isn't read yet, and knows the line.
struct DocumentReader: Sendable {
  /// What stays of the bytes that are read, for the text around an error.
  private static let context = 160

  private(set) var parser: DocumentParser
  private var input: InputDecoder
  /// UTF-8 that isn't read yet, behind a little that is.
  private(set) var buffer: [UInt8] = []
  private var read = 0
  private var checked = 0
  private var position = TextPosition()
  /// What to wait for before the next token is tried again.
  private var tokenEnd: TokenEnd?

  init(options: XMLOptions, encoding: String?) {
    input = InputDecoder(external: encoding, sizeLimit: options.limits.documentSize)
    parser = DocumentParser(options: options, encoding: DeclaredEncoding())
  }

  /// Reads as many tokens as there are.
  ///
  /// - Throws: What is wrong with the document; it can't be read on then.
  mutating func read<S: EventSink>(
    _ chunk: Span<UInt8>, isFinal: Bool, into sink: inout S
  ) throws(XMLError) {
    do throws(Failure) {
      try advance(chunk, isFinal: isFinal, into: &sink)
    } catch {
      throw XMLError(error, in: buffer.span, from: position)
    }
    if !isFinal { discardRead() }
  }

  private mutating func advance<S: EventSink>(
    _ chunk: Span<UInt8>, isFinal: Bool, into sink: inout S
  ) throws(Failure) {
    var trouble: Failure?
    do throws(Failure) {
      try input.decode(chunk, isFinal: isFinal, into: &buffer)
    } catch {
      trouble = error
    }
    parser.encoding = input.declared
    let good = CharacterCheck().goodEnd(
      buffer.span, from: checked, isFinal: isFinal || trouble != nil)
    checked = good.end
    trouble = good.failure ?? trouble
    if trouble == nil, !isFinal, !isTokenReady() { return }
    // The same storage under another name, so that the parser may change while the bytes are lent.
    let bytes = buffer
    try parser.parse(
      bytes.span.extracting(0..<checked), from: &read, isFinal: isFinal && trouble == nil,
      into: &sink)
    if let trouble { throw trouble }
    if !isFinal, read < checked { wait() }
  }

  private mutating func isTokenReady() -> Bool {
    guard var end = tokenEnd else { return true }
    let isReached = end.isReached(in: buffer.span.extracting(read..<checked))
    tokenEnd = isReached ? nil : end
    return isReached
  }

  /// The token at hand is incomplete.
  private mutating func wait() {
    let bytes = buffer
    let token = bytes.span.extracting(read..<checked)
    var end = TokenEnd(token)
    // What has come can't be the end, or the token would have been read: look on from there.
    while end.isReached(in: token), !end.isShort {}
    tokenEnd = end.isShort ? nil : end
  }

  private mutating func discardRead() {
    let excess = read - DocumentReader.context
    guard excess > 4096 || excess > buffer.count / 2 else { return }
    // Whole characters only, so that columns are counted right.
    var cut = excess
    while cut > 0, buffer[cut] & 0xC0 == 0x80 { cut -= 1 }
    var position = position
    position.advance(over: buffer.span.extracting(0..<cut))
    self.position = position
    buffer.removeFirst(cut)
    read -= cut
    checked -= cut
    parser.consumed += cut
  }
}

/// A line and a column, both from 1, of the byte that comes next.
struct TextPosition: Sendable {
  var line = 1
  var column = 1
  /// The last byte was CR: a LF now belongs to the same line end.
  private var isAfterReturn = false

  /// Moves over bytes.
  mutating func advance(over bytes: Span<UInt8>) {
    for i in 0..<bytes.count {
      let byte = bytes[i]
      if byte == .lineFeed, isAfterReturn {
        isAfterReturn = false
        continue
      }
      isAfterReturn = byte == .carriageReturn
      if byte == .lineFeed || isAfterReturn {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
  }
}

extension XMLError {
  /// The error of a failure in `bytes`, the first of which is at `start`.
  init(_ failure: Failure, in bytes: Span<UInt8>, from start: TextPosition) {
    let offset = Swift.min(Swift.max(failure.offset, 0), bytes.count)
    var position = start
    position.advance(over: bytes.extracting(0..<offset))
    self.init(
      kind: failure.kind, message: failure.text, line: position.line, column: position.column,
      snippet: bytes.snippet(around: offset))
  }
}

extension Span<UInt8> {
  /// At most 40 characters on both sides of an offset.
  func snippet(around offset: Int) -> String {
    let before = string(Swift.max(0, offset - 160)..<offset).suffix(40)
    let after = string(offset..<Swift.min(count, offset + 160)).prefix(40)
    let text = (before + after).map { $0.isWhitespace ? " " : $0 }
    return String(text.drop { $0 == "\u{FFFD}" })
  }
}

/// How much entities and attribute defaults have added so far.
struct ExpansionBudget: Sendable {
  /// Below this no ratio counts, so that small documents may use entities freely.
  static let free = 1 << 20

  private(set) var spent = 0

  /// Takes `size` bytes and a little for the work around them.
  ///
  /// - Throws: A limit error when they are too many for a document of `documentSize` bytes so far.
  mutating func spend(
    _ size: Int, documentSize: Int, limits: XMLLimits, at offset: Int
  ) throws(Failure) {
    spent += size + 4
    guard spent <= limits.expandedSize else {
      throw Failure(.limit, "entities and defaults expand to too much", at: offset)
    }
    if spent > ExpansionBudget.free, spent / limits.expansionRatio > documentSize {
      throw Failure(.limit, "entities and defaults expand out of proportion", at: offset)
    }
  }
}

extension ExpansionBudget {
  /// Forgets what a token took that has to be read again.
  mutating func reset(to spent: Int) {
    self.spent = spent
  }
}
