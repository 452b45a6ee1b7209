extension Row {
  // Why these exist: decoding is most of what a load of JSON costs. The shapes are those of the
  // documents that JSON parsers are commonly compared by, and what apps load; a rival takes 1 /
  // goal times as long at least.
  public static let jsonSmall = Row(
    "json-decode-small-1KB", operations: 500, goals: [.jsonDecoder: 0.222])
  public static let jsonMessages = Row(
    "json-decode-messages-600KB", operations: 600, goals: [.jsonDecoder: 0.222])
  public static let jsonCatalog = Row(
    "json-decode-catalog-1.7MB", operations: 1_700, goals: [.jsonDecoder: 0.222])
  public static let jsonBorder = Row(
    "json-decode-border-2.2MB", operations: 2_200, goals: [.jsonDecoder: 0.125])
  public static let jsonIssues = Row(
    "json-decode-issues-430KB", operations: 430, goals: [.jsonDecoder: 0.125])

  // The same as an app has it: a resource with its response.
  public static let jsonResource = Row(
    "json-resource-issues-430KB", operations: 430, goals: [.jsonDecoder: 0.143])

  // Whether a byte costs the same in a document of 20 MB.
  public static let jsonIssuesLarge = Row(
    "json-decode-issues-20MB", operations: 19_780, goals: [.sameInSmall: 1.2])

  // The most memory that is in use at one time besides the document and the values.
  public static let jsonMessagesMemory = memory("messages", kilobytes: 600)
  public static let jsonCatalogMemory = memory("catalog", kilobytes: 1_700)
  public static let jsonBorderMemory = memory("border", kilobytes: 2_200)
  public static let jsonIssuesMemory = memory("issues", kilobytes: 430)

  // Why these exist: encoding was a quarter of a POST over the loopback network. The values are
  // those that the documents above are decoded into, and lists of numbers.
  public static let jsonEncodeSmall = Row(
    "json-encode-small-1KB", operations: 500, goals: [.jsonEncoder: 0.333])
  public static let jsonEncodeMessages = Row(
    "json-encode-messages-600KB", operations: 600, goals: [.jsonEncoder: 0.25])
  public static let jsonEncodeCatalog = Row(
    "json-encode-catalog-1.7MB", operations: 1_700, goals: [.jsonEncoder: 0.25])
  public static let jsonEncodeBorder = Row(
    "json-encode-border-2.2MB", operations: 2_200, goals: [.jsonEncoder: 0.25])
  public static let jsonEncodeIssues = Row(
    "json-encode-issues-430KB", operations: 430, goals: [.jsonEncoder: 0.25])
  public static let jsonEncodeIntegers = Row(
    "json-encode-integers", operations: 1_000, goals: [.jsonEncoder: 0.167])
  public static let jsonEncodeDoubles = Row(
    "json-encode-doubles", operations: 1_000, goals: [.jsonEncoder: 0.167])

  // Why these exist: what arrives in pieces should cost no more than what is there, however small
  // the pieces are, and need no memory. Elements have 370 bytes.
  public static let jsonPieces256 = Row(
    "json-pieces-256B", operations: 430, goals: [.inOnePiece: 1.2])
  public static let jsonPieces4096 = Row(
    "json-pieces-4KB", operations: 430, goals: [.inOnePiece: 1.2])
  public static let jsonPieces65536 = Row(
    "json-pieces-64KB", operations: 430, goals: [.inOnePiece: 1.2])
  public static let jsonElements = Row(
    "json-elements-20MB", operations: 19_780, goals: [.wholeDocument: 1.11])
  // By how much the process grows, as the system counts it.
  public static let jsonGigabyte = Row(
    "json-elements-1GB-resident", operations: 1, by: .bytes, goals: [.allowed: 1])
  // 201 values so far. The value is decoded anew for each of them.
  public static let jsonPartials = Row(
    "json-partials-10KB", operations: 201, goals: [.wholeDocument: 1.2])

  private static func memory(_ document: String, kilobytes: Int) -> Row {
    Row(
      "json-memory-\(document)", operations: kilobytes, by: .bytes, goals: [.document: 1.5])
  }

  /// All rows of the JSON suite, in the order of the table.
  public static let json = [
    jsonSmall, jsonMessages, jsonCatalog, jsonBorder, jsonIssues, jsonResource, jsonIssuesLarge,
    jsonEncodeSmall, jsonEncodeMessages, jsonEncodeCatalog, jsonEncodeBorder, jsonEncodeIssues,
    jsonEncodeIntegers, jsonEncodeDoubles,
    jsonPieces256, jsonPieces4096, jsonPieces65536, jsonElements, jsonPartials, jsonGigabyte,
    jsonMessagesMemory, jsonCatalogMemory, jsonBorderMemory, jsonIssuesMemory,
  ]
}
