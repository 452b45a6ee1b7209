/// Receives the parser's events. Bytes are valid only during a call, so a sink copies what it
/// keeps.
protocol EventSink {
  mutating func declaration(_ declaration: XMLEvent.Declaration) throws(Failure)
  mutating func documentType(_ type: XMLEvent.DocumentType) throws(Failure)

  /// A start tag: its expanded name in `names`, and its attributes with values in `bytes` or
  /// `scratch`.
  mutating func startElement(
    _ name: UInt32, _ attributes: [ParsedAttribute], _ bytes: Span<UInt8>, _ scratch: [UInt8],
    _ names: NamespaceTable, at place: SourceLocation) throws(Failure)

  mutating func endElement(_ name: UInt32, _ names: NamespaceTable) throws(Failure)

  /// The characters in `start..<end`, with line ends normalised.
  mutating func text(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, at place: SourceLocation) throws(Failure)

  /// One character that the document writes in another way: as a reference or a line end.
  mutating func character(_ scalar: UInt32, at place: SourceLocation) throws(Failure)

  mutating func comment(_ text: String) throws(Failure)
  mutating func processingInstruction(_ target: String, _ data: String) throws(Failure)
  mutating func skippedEntity(_ name: String) throws(Failure)
}

/// The location of an event in the document.
struct SourceLocation {
  /// The offset in the document, even if the bytes are an entity's.
  var offset: Int
  /// Whether the bytes are the document's, so that ranges of them stay valid.
  var isDocument: Bool
  /// Whether the text is in a CDATA section.
  var isLiteral = false
}

/// An attribute of the current tag.
struct ParsedAttribute: Sendable {
  /// Its qualified name in the name table.
  var name: UInt32
  /// Its expanded name in the namespace table, set when the tag is complete.
  var expanded: UInt32 = 0
  /// The offset of the name, for errors.
  var nameOffset: Int
  var start: Int
  var end: Int
  /// Whether the value is in the scratch buffer instead of the input.
  var isScratch: Bool
  /// Whether the document has it; otherwise it is a default of the document type.
  var isSpecified = true

  func string(_ bytes: Span<UInt8>, _ scratch: [UInt8]) -> String {
    isScratch ? scratch.span.string(start..<end) : bytes.string(start..<end)
  }
}
