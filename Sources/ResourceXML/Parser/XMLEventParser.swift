/// Parses XML chunk by chunk, as it arrives, and reports events.
///
/// XML 1.0 (fifth edition) and Namespaces in XML 1.0, non-validating: every document that isn't
/// well-formed is refused, the internal subset of a document type is read, internal entities are
/// expanded and attribute defaults applied within the limits of ``XMLOptions``, and nothing
/// external is ever read.
///
/// ```swift
/// var parser = XMLEventParser()
/// var titles = 0
/// for chunk in chunks {
///   try parser.parse(chunk) { event in
///     if case .startElement(let name, _) = event, name.local == "title" { titles += 1 }
///   }
/// }
/// try parser.finish { _ in }
/// ```
///
/// The events don't depend on how the document is divided into chunks. A parser is a value and
/// keeps no handler.
public struct XMLEventParser: Sendable {
  private var reader: DocumentReader
  private var state = HandlerSink.State()
  private var failure: XMLError?
  private var isFinished = false

  /// Creates a parser for one document.
  ///
  /// - Parameters:
  ///   - encoding: The charset that came with the document, from the `Content-Type` header. A byte
  ///     order mark takes precedence over it, and it takes precedence over the XML declaration (RFC
  ///     7303, section 3).
  ///   - options: Limits, and whether names have namespaces.
  public init(encoding: String? = nil, options: XMLOptions = XMLOptions()) {
    reader = DocumentReader(options: options, encoding: encoding)
  }

  /// Parses the next chunk.
  ///
  /// - Parameters:
  ///   - chunk: Any number of further bytes.
  ///   - handler: Called for each event, in document order, before the call returns.
  /// - Throws: ``XMLError`` if the document isn't well-formed or exceeds a limit; every later call
  ///   throws it again. Also whatever `handler` throws, after which the parser can't continue
  ///   either.
  public mutating func parse(
    _ chunk: some Sequence<UInt8>, handler: (XMLEvent) throws -> Void
  ) throws {
    try read(chunk, isFinal: false, handler)
  }

  /// Ends the document.
  ///
  /// - Parameter handler: Called for the remaining events.
  /// - Throws: ``XMLError`` if the document is incomplete, and as in ``parse(_:handler:)``.
  public mutating func finish(handler: (XMLEvent) throws -> Void) throws {
    guard !isFinished else { return }
    try read([UInt8](), isFinal: true, handler)
    isFinished = true
  }

  private mutating func read(
    _ chunk: some Sequence<UInt8>, isFinal: Bool, _ handler: (XMLEvent) throws -> Void
  ) throws {
    // The bytes are read during this call, and their span ends with it.
    let isRead: Void? = try chunk.withContiguousStorageIfAvailable {
      try unsafe readBytes($0.span, isFinal: isFinal, handler)
    }
    if isRead != nil { return }
    let bytes = Array(chunk)
    try readBytes(bytes.span, isFinal: isFinal, handler)
  }

  private mutating func readBytes(
    _ chunk: Span<UInt8>, isFinal: Bool, _ handler: (XMLEvent) throws -> Void
  ) throws {
    if let failure { throw failure }
    precondition(!isFinished, "an XMLEventParser reads one document")
    try withoutActuallyEscaping(handler) { handler in
      var sink = HandlerSink(state, handler: handler)
      state = HandlerSink.State()
      do throws(XMLError) {
        try reader.read(chunk, isFinal: isFinal, into: &sink)
      } catch {
        failure = error
        throw sink.error ?? error
      }
      state = sink.finish()
    }
  }
}

extension XMLEventParser {
  /// Reads a whole document.
  ///
  /// - Parameters:
  ///   - data: The document.
  ///   - encoding: The charset that came with it.
  ///   - options: Limits, and whether names have namespaces.
  ///   - handler: Called for each event in document order.
  /// - Throws: ``XMLError``; whatever `handler` throws.
  public static func parse(
    _ data: some Sequence<UInt8>, encoding: String? = nil, options: XMLOptions = XMLOptions(),
    handler: (XMLEvent) throws -> Void
  ) throws {
    var parser = XMLEventParser(encoding: encoding, options: options)
    try parser.read(data, isFinal: true, handler)
  }
}

/// Calls a handler with the events of the public API.
struct HandlerSink: EventSink {
  /// The size of one piece of text in bytes. Longer text is reported in several pieces.
  private static let pieceSize = 65_536

  private let handler: (XMLEvent) throws -> Void
  private var state: State
  /// The error that the handler threw.
  private(set) var error: (any Error)?

  /// The state that is kept from one chunk to the next.
  struct State: Sendable {
    fileprivate var text: [UInt8] = []
    /// Names by number, so that the strings of each are created only once.
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
    _ names: NamespaceTable, at place: SourceLocation
  ) throws(Failure) {
    try flush()
    var values: [XMLEvent.Attribute] = []
    if !attributes.isEmpty { values.reserveCapacity(attributes.count) }
    for attribute in attributes {
      values.append(
        XMLEvent.Attribute(
          name: self.name(attribute.expanded, names), value: attribute.string(bytes, scratch),
          isSpecified: attribute.isSpecified))
    }
    try send(.startElement(self.name(name, names), attributes: values))
  }

  mutating func endElement(_ name: UInt32, _ names: NamespaceTable) throws(Failure) {
    try flush()
    try send(.endElement(self.name(name, names)))
  }

  mutating func text(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, at place: SourceLocation
  ) throws(Failure) {
    state.text.append(bytes, from: start, to: end)
    if state.text.count >= HandlerSink.pieceSize { try sendPieces() }
  }

  mutating func character(_ scalar: UInt32, at place: SourceLocation) throws(Failure) {
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

  /// Sends whole pieces, divided between characters and independently of how the bytes arrived.
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
