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
