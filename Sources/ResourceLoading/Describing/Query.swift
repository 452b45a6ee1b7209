import Foundation

/// Query items in order. Names and values are plain text; everything outside RFC 3986's unreserved set is
/// percent-encoded when they are sent.
public struct Query: Sendable, Hashable {
  /// The items, in the order in which they are sent.
  public var items: [Item]

  /// Makes a query of items.
  ///
  /// - Parameter items: The items, in the order in which they are sent.
  public init(_ items: [Item] = []) { self.items = items }

  /// A name and its value.
  public struct Item: Sendable, Hashable {
    /// The plain name.
    public var name: String
    /// The plain value; `nil` sends the bare name without `=`.
    public var value: String?

    /// Makes an item.
    ///
    /// - Parameters:
    ///   - name: The plain name.
    ///   - value: The plain value; `nil` sends the bare name.
    public init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value
    }
  }
}

extension Query: ExpressibleByDictionaryLiteral {
  /// Items in the order of the literal; a name may stand in it more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    self.init(elements.map { Item($0.0, $0.1) })
  }
}

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
}

extension Query.Item {
  fileprivate var encoded: String {
    let name = PercentEncoding.unreserved.encode(name)
    return value.map { "\(name)=\(PercentEncoding.unreserved.encode($0))" } ?? name
  }
}
