/// What takes the parser's findings. Bytes are only lent; a sink copies what it keeps.
protocol EventSink {
  mutating func declaration(_ declaration: XMLEvent.Declaration) throws(Failure)
  mutating func documentType(_ type: XMLEvent.DocumentType) throws(Failure)

  /// A start tag.
  ///
  /// - Parameters:
  ///   - name: The element's expanded name in `names`.
  ///   - attributes: Their values lie in `bytes` or `scratch`.
  ///   - place: Where the tag stands.
  mutating func startElement(
    _ name: UInt32, _ attributes: [ParsedAttribute], _ bytes: Span<UInt8>, _ scratch: [UInt8],
    _ names: NamespaceTable, at place: Place) throws(Failure)

  mutating func endElement(_ name: UInt32, _ names: NamespaceTable) throws(Failure)

  /// Characters in `start..<end`, ready to be used as they are.
  mutating func text(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, at place: Place) throws(Failure)

  /// One character that doesn't stand in the document as such.
  mutating func character(_ scalar: UInt32, at place: Place) throws(Failure)

  mutating func comment(_ text: String) throws(Failure)
  mutating func processingInstruction(_ target: String, _ data: String) throws(Failure)
  mutating func skippedEntity(_ name: String) throws(Failure)
}

/// Where something stands.
struct Place {
  /// In the document, even when the bytes at hand are an entity's.
  var offset: Int
  /// Whether the bytes at hand are the document, so that ranges of them stay good.
  var isDocument: Bool
  /// Whether it is text of a CDATA section.
  var isLiteral = false
}

/// Makes events of findings.
struct HandlerSink: EventSink {
  /// Text comes in pieces of this many bytes when it is longer.
  private static let pieceSize = 65_536

  private let handler: (XMLEvent) throws -> Void
  private var state: State
  /// What the handler threw.
  private(set) var error: (any Error)?

  /// What lives from one chunk to the next.
  struct State: Sendable {
    fileprivate var text: [UInt8] = []
    /// By number, so that a name becomes strings once.
    fileprivate var names: [XMLName?] = []
  }

  init(_ state: State, handler: @escaping (XMLEvent) throws -> Void) {
    self.state = state
    self.handler = handler
  }

  /// The state for the next chunk.
  consuming func finish() -> State { state }

  mutating func declaration(_ declaration: XMLEvent.Declaration) throws(Failure) {
    try send(.declaration(declaration))
  }

  mutating func documentType(_ type: XMLEvent.DocumentType) throws(Failure) {
    try send(.documentType(type))
  }

  mutating func startElement(
    _ name: UInt32, _ attributes: [ParsedAttribute], _ bytes: Span<UInt8>, _ scratch: [UInt8],
    _ names: NamespaceTable, at place: Place
  ) throws(Failure) {
    try flush()
    var values: [XMLEvent.Attribute] = []
    if !attributes.isEmpty { values.reserveCapacity(attributes.count) }
    for attribute in attributes {
      let range = attribute.start..<attribute.end
      values.append(
        XMLEvent.Attribute(
          name: self.name(attribute.expanded, names),
          value: attribute.isScratch ? scratch.span.string(range) : bytes.string(range),
          isSpecified: attribute.isSpecified))
    }
    try send(.startElement(self.name(name, names), attributes: values))
  }

  mutating func endElement(_ name: UInt32, _ names: NamespaceTable) throws(Failure) {
    try flush()
    try send(.endElement(self.name(name, names)))
  }

  mutating func text(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, at place: Place
  ) throws(Failure) {
    state.text.append(bytes, from: start, to: end)
    if state.text.count >= HandlerSink.pieceSize { try sendPieces() }
  }

  mutating func character(_ scalar: UInt32, at place: Place) throws(Failure) {
    state.text.append(scalar: scalar)
    if state.text.count >= HandlerSink.pieceSize { try sendPieces() }
  }

  mutating func comment(_ text: String) throws(Failure) {
    try flush()
    try send(.comment(text))
  }

  mutating func processingInstruction(_ target: String, _ data: String) throws(Failure) {
    try flush()
    try send(.processingInstruction(target: target, data: data))
  }

  mutating func skippedEntity(_ name: String) throws(Failure) {
    try flush()
    try send(.skippedEntity(name: name))
  }
}

extension HandlerSink {
  @inline(__always)
  private mutating func name(_ id: UInt32, _ names: NamespaceTable) -> XMLName {
    if Int(id) < state.names.count, let name = state.names[Int(id)] { return name }
    while state.names.count <= Int(id) { state.names.append(nil) }
    let name = names.name(id)
    state.names[Int(id)] = name
    return name
  }

  private mutating func send(_ event: XMLEvent) throws(Failure) {
    do {
      try handler(event)
    } catch {
      self.error = error
      throw Failure(.syntax, "the handler stopped", at: 0)
    }
  }

  @inline(__always)
  private mutating func flush() throws(Failure) {
    guard !state.text.isEmpty else { return }
    let text = String(decoding: state.text, as: UTF8.self)
    state.text.removeAll(keepingCapacity: true)
    try send(.text(text))
  }

  /// Sends whole pieces, cut between characters at the same places however the bytes came.
  private mutating func sendPieces() throws(Failure) {
    var start = 0
    while state.text.count - start >= HandlerSink.pieceSize {
      var end = start + HandlerSink.pieceSize
      while end < state.text.count, end > start, state.text[end] & 0xC0 == 0x80 { end -= 1 }
      let text = String(decoding: state.text[start..<end], as: UTF8.self)
      start = end
      try send(.text(text))
    }
    state.text.removeFirst(start)
  }
}
