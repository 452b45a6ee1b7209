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

  private static func memory(_ document: String, kilobytes: Int) -> Row {
    Row(
      "json-memory-\(document)", operations: kilobytes, by: .bytes, goals: [.document: 1.5])
  }

  /// All rows of the JSON suite, in the order of the table.
  public static let json = [
    jsonSmall, jsonMessages, jsonCatalog, jsonBorder, jsonIssues, jsonResource, jsonIssuesLarge,
    jsonEncodeSmall, jsonEncodeMessages, jsonEncodeCatalog, jsonEncodeBorder, jsonEncodeIssues,
    jsonEncodeIntegers, jsonEncodeDoubles,
    jsonMessagesMemory, jsonCatalogMemory, jsonBorderMemory, jsonIssuesMemory,
  ]
}
