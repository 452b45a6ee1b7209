import Foundation

extension Query {
  /// The percent-encoded text, without a leading `?`.
  public var encoded: String {
    items.map(\.encoded).joined(separator: "&")
  }

  /// A URL with these items appended to its own query, which is kept as it is.
  func appended(to url: URL) -> URL {
    guard !items.isEmpty else { return url }
    let text = url.relativeString
    let end = text.firstIndex(of: "#") ?? text.endIndex
    let head = text[..<end]
    let joint = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
    return URL(string: head + joint + encoded + text[end...], relativeTo: url.baseURL) ?? url
  }

  /// Checks what can't be checked when a query is made.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` for a value that couldn't be encoded, and for a text that
  ///   was said to be encoded and isn't.
  func check() throws {
    for item in items {
      if let flaw = item.flaw { throw LoadError(.invalidRequest, flaw) }
      guard !PercentEncoding.query.accepts(item.encoded) else { continue }
      throw LoadError(
        .invalidRequest, "the query item \(item.name.debugDescription) isn't percent-encoded",
        advice: "Give names and values as plain items, or encode them before")
    }
  }
}
