/// A vocabulary that feeds borrow elements from.
struct FeedModule: Sendable {
  /// The prefix that it usually has, for documents that use it without declaring it.
  let prefix: String

  /// Its namespaces in the course of time.
  let namespaces: Set<String>

  static let dublinCore = FeedModule(
    prefix: "dc",
    namespaces: ["http://purl.org/dc/elements/1.1/", "http://purl.org/dc/elements/1.0/"])

  static let terms = FeedModule(prefix: "dcterms", namespaces: ["http://purl.org/dc/terms/"])

  static let content = FeedModule(
    prefix: "content", namespaces: ["http://purl.org/rss/1.0/modules/content/"])

  static let atom = FeedModule(
    prefix: "atom", namespaces: ["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"])

  static let podcast = FeedModule(
    prefix: "itunes", namespaces: ["http://www.itunes.com/dtds/podcast-1.0.dtd"])

  static let media = FeedModule(
    prefix: "media",
    namespaces: ["http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss"])
}

extension FeedModule {
  /// Whether a namespace is meant to be this one's: publishers change its case, write `https`, or leave out the
  /// slash at its end.
  func isNamed(by namespace: String) -> Bool {
    namespaces.contains { $0 == namespace || Self.plain($0) == Self.plain(namespace) }
  }

  private static func plain(_ namespace: String) -> Substring {
    let text = namespace.lowercased()
    let name = text.hasPrefix("https://") ? text.dropFirst(8) : text.dropFirst(7)
    return name.hasSuffix("/") ? name.dropLast() : name
  }
}
