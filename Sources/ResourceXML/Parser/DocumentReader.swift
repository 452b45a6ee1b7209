/// Feeds the parser: transcodes, validates characters, buffers unread bytes, and counts lines.
struct DocumentReader: Sendable {
  /// The number of read bytes that are kept for the snippet of an error.
  private static let context = 4 << 10

  private(set) var parser: DocumentParser
  private var input: InputDecoder
  /// The unread UTF-8, after some bytes that have been read.
  private(set) var buffer: [UInt8] = []
  private var read = 0
  private var checked = 0
  private var position = TextPosition()
  /// The end to wait for before the next token is read again.
  private var tokenEnd: TokenEndScanner?

  init(options: XMLOptions, encoding: String?) {
    input = InputDecoder(external: encoding, sizeLimit: options.maximumDocumentSize)
    parser = DocumentParser(options: options, encoding: DeclaredEncoding())
  }

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
    let good = buffer.span.validEnd(from: checked, isFinal: isFinal || trouble != nil)
    checked = good.end
    trouble = good.failure ?? trouble
    if trouble == nil, !isFinal, !isTokenReady() { return }
    // A second reference to the same storage, so that the parser can be mutated while it reads the
    // bytes.
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

  /// Waits for the end of the incomplete token.
  private mutating func wait() {
    let bytes = buffer
    let token = bytes.span.extracting(read..<checked)
    var end = TokenEndScanner(token)
    // The input so far doesn't contain the end, or the token would have been read. Search after it.
    while end.isReached(in: token), !end.isShort {}
    tokenEnd = end.isShort ? nil : end
  }

  private mutating func discardRead() {
    let excess = read - DocumentReader.context
    guard excess > 4096 || excess > buffer.count / 2 else { return }
    // Removes only whole characters, so that columns are counted correctly.
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
