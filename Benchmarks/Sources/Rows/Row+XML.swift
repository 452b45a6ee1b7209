extension Row {
  // What a feed costs as text, with every check on, in two sizes: the same per kilobyte if the cost
  // is linear (an operation is 1,000 bytes). FoundationXML's parser checks less.
  public static let xmlEvents = Row(
    "xml-events-feed-1MB", operations: 1_000, goals: [.foundationXML: 0.67])
  public static let xmlEventsLarge = Row(
    "xml-events-feed-20MB", operations: 20_000, goals: [.foundationXML: 0.67, .sameInSmall: 1.2])

  // What elements cost when there is no text to hurry over.
  public static let xmlEventsDense = Row(
    "xml-events-dense-1MB", operations: 1_000, goals: [.foundationXML: 0.67])

  // What a document costs that is read whole, for looking around in it.
  public static let xmlTree = Row("xml-tree-feed-1MB", operations: 1_000)
  public static let xmlTreeLarge = Row(
    "xml-tree-feed-20MB", operations: 20_000, goals: [.sameInSmall: 1.2])
  public static let xmlTreeDense = Row("xml-tree-dense-1MB", operations: 1_000)

  // Whether a feed of megabytes decodes while a user waits. XMLCoder gives its documents to
  // FoundationXML's parser whole, which refuses more than 10 MB: at 20 MB it has no figure.
  public static let xmlDecode = Row(
    "xml-decode-feed-1MB", operations: 1_000, goals: [.xmlCoder: 0.067])
  public static let xmlDecodeLarge = Row(
    "xml-decode-feed-20MB", operations: 20_000, goals: [.sameInSmall: 1.2])
  public static let xmlDecodeDense = Row(
    "xml-decode-dense-1MB", operations: 1_000, goals: [.xmlCoder: 0.067])

  // The most memory that is in use at one time besides the document, result included.
  public static let xmlTreeMemory = Row(
    "xml-tree-feed-memory", operations: 20_000, by: .bytes, goals: [.document: 3])
  public static let xmlDecodeMemory = Row(
    "xml-decode-feed-memory", operations: 20_000, by: .bytes, goals: [.document: 3])
  public static let xmlTreeDenseMemory = Row(
    "xml-tree-dense-memory", operations: 1_000, by: .bytes, goals: [.document: 3])
  public static let xmlEventsMemory = Row(
    "xml-events-feed-memory", operations: 20_000, by: .bytes, goals: [.document: 3])

  /// All rows of the XML suite, in the order of the table.
  public static let xml = [
    xmlEvents, xmlEventsLarge, xmlEventsDense, xmlTree, xmlTreeLarge, xmlTreeDense,
    xmlDecode, xmlDecodeLarge, xmlDecodeDense,
    xmlEventsMemory, xmlTreeMemory, xmlTreeDenseMemory, xmlDecodeMemory,
  ]
}
