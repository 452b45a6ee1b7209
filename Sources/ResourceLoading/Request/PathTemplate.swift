/// A path as it was written, without the text of interpolated values: which is the same for all
/// requests of a kind. Traces use it.
///
/// It doesn't affect the equality of requests.
package struct PathTemplate: Sendable {
  /// The percent-encoded path with its values, or a URL; `nil` if it isn't known how it was
  /// written.
  private let path: String?
  /// The same with `{}` in the place of each value.
  private let template: String

  init(_ path: String?, as template: String) {
    self.path = path
    self.template = template
  }

  /// The template of a path from plain text, and of a URL.
  static let unknown = PathTemplate(nil, as: "")
}

extension PathTemplate: Hashable {
  package static func == (one: Self, other: Self) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}

extension PathTemplate {
  /// Returns the path of a URL with `{}` in the place of each value, `/users/{}/repos`.
  ///
  /// - Parameter url: The URL of the request, whose path begins with that of the client's base URL.
  ///   If it doesn't end with the path that was written, the request was changed, and the result is
  ///   `nil`. It is also `nil` if nothing is known.
  package func text(in url: String) -> String? {
    guard let path else { return nil }
    let (written, whole) = (Self.path(in: path), Self.path(in: url))
    let count = whole.utf8.count - written.utf8.count
    guard count >= 0, whole.utf8.dropFirst(count).elementsEqual(written.utf8) else { return nil }
    return "/\(Substring(whole.utf8.prefix(count)))\(Self.path(in: template))"
  }

  /// Returns the path of a URL or path, without authority, first slash and query.
  private static func path(in text: String) -> Substring {
    var rest = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if let colon = rest.firstIndex(of: UInt8(ascii: ":")),
      rest[colon...].dropFirst().starts(with: "//".utf8)
    {
      rest = rest[colon...].dropFirst(3).drop { $0 != UInt8(ascii: "/") }
    }
    return Substring(rest.first == UInt8(ascii: "/") ? rest.dropFirst() : rest)
  }
}
