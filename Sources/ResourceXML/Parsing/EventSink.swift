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
