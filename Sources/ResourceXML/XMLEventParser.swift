/// Reads XML as it comes, chunk by chunk, and tells what it finds.
///
/// XML 1.0 (fifth edition) and Namespaces in XML 1.0, non-validating: every document that isn't
/// well-formed is refused, the internal subset of a document type is read, internal entities are
/// expanded and attribute defaults applied within ``XMLLimits``, and nothing external is ever read.
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
/// The events are the same however the document is cut. A parser is a value: it holds no handler, and
/// can be kept wherever its owner keeps state.
public struct XMLEventParser: Sendable {
  private var reader: DocumentReader
  private var state = HandlerSink.State()
  private var failure: XMLError?
  private var isFinished = false

  /// Makes a parser for one document.
  ///
  /// - Parameters:
  ///   - encoding: The charset that came with the document, from the `Content-Type` header. A byte
  ///     order mark is stronger, the XML declaration weaker (RFC 7303, section 3). With `nil` the
  ///     document says.
  ///   - options: Limits, and whether names have namespaces.
  public init(encoding: String? = nil, options: XMLOptions = XMLOptions()) {
    reader = DocumentReader(options: options, encoding: encoding)
  }

  /// Reads on.
  ///
  /// - Parameters:
  ///   - chunk: The next bytes, any number of them.
  ///   - handler: Called for each event, in document order, before the call returns.
  /// - Throws: ``XMLError`` when the document isn't well-formed or passes a limit, and again from every
  ///   later call; whatever `handler` throws, after which the parser can't go on either.
  public mutating func parse(
    _ chunk: some Sequence<UInt8>, handler: (XMLEvent) throws -> Void
  ) throws {
    try read(chunk, isFinal: false, handler)
  }

  /// Says that the document is complete.
  ///
  /// - Parameter handler: Called for the events that were waiting for this.
  /// - Throws: ``XMLError`` when the document ends too early, and as in ``parse(_:handler:)``.
  public mutating func finish(handler: (XMLEvent) throws -> Void) throws {
    guard !isFinished else { return }
    try read([UInt8](), isFinal: true, handler)
    isFinished = true
  }

  private mutating func read(
    _ chunk: some Sequence<UInt8>, isFinal: Bool, _ handler: (XMLEvent) throws -> Void
  ) throws {
    let isRead: Void? = try chunk.withContiguousStorageIfAvailable {
      try readBytes($0, isFinal: isFinal, handler)
    }
    if isRead != nil { return }
    try Array(chunk).withUnsafeBufferPointer { try readBytes($0, isFinal: isFinal, handler) }
  }

  private mutating func readBytes(
    _ chunk: UnsafeBufferPointer<UInt8>, isFinal: Bool, _ handler: (XMLEvent) throws -> Void
  ) throws {
    if let failure { throw failure }
    precondition(!isFinished, "an XMLEventParser reads one document")
    try withoutActuallyEscaping(handler) { handler in
      var sink = HandlerSink(state, handler: handler)
      state = HandlerSink.State()
      do throws(XMLError) {
        try reader.read(chunk.span, isFinal: isFinal, into: &sink)
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
