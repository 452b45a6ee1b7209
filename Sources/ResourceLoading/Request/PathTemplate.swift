/// A path as it was written, without the text of interpolated values: the same for all requests of a kind, for traces.
///
/// It has no part in the equality of requests.
package struct PathTemplate: Sendable {
  /// The percent-encoded path with its values; `nil` if it isn't known how it was written.
  private let path: String?
  /// The offsets of the values in UTF-8, in order.
  private let values: [Range<Int>]

  /// - Parameters:
  ///   - path: The percent-encoded path, or a URL.
  ///   - values: The offsets of the values in UTF-8, in order.
  init(_ path: String, values: [Range<Int>]) {
    self.path = path
    self.values = values
  }

  private init() { (path, values) = (nil, []) }

  /// The template of a path that was made from text, and of a URL.
  static let unknown = PathTemplate()
}

extension PathTemplate: Hashable {
  package static func == (one: Self, other: Self) -> Bool { true }

  package func hash(into hasher: inout Hasher) {}
}

extension PathTemplate {
  /// Returns the path of a URL with `{}` in the place of each value, `/users/{}/repos`.
  ///
  /// - Parameter url: The URL of the request, whose path begins with that of the client's base URL. If it doesn't end with
  ///   the path that was written, the request was changed, and the result is `nil`, as it is if nothing is known.
  package func text(in url: String) -> String? {
    guard var path else { return nil }
    var url = url
    return path.withUTF8 { path in url.withUTF8 { text(in: $0, from: path) } }
  }

  private func text(
    in url: UnsafeBufferPointer<UInt8>, from path: UnsafeBufferPointer<UInt8>
  ) -> String? {
    let (written, whole) = (Self.path(in: path), Self.path(in: url))
    guard url[whole].suffix(written.count).elementsEqual(path[written]) else { return nil }
    let offset = whole.upperBound - written.upperBound
    var (text, copied) = ([UInt8(ascii: "/")], whole.lowerBound)
    for value in values
    where written.lowerBound <= value.lowerBound && value.upperBound <= written.upperBound {
      text += url[copied..<offset + value.lowerBound]
      text += "{}".utf8
      copied = offset + value.upperBound
    }
    return String(decoding: text + url[copied..<whole.upperBound], as: UTF8.self)
  }

  /// Returns where the path stands in a text, without authority, first slash and query.
  private static func path(in text: UnsafeBufferPointer<UInt8>) -> Range<Int> {
    let slash = UInt8(ascii: "/")
    let end = text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.count
    var start = 0
    if let colon = text[..<end].firstIndex(of: UInt8(ascii: ":")),
      text[colon..<end].dropFirst().starts(with: "//".utf8)
    {
      start = text[..<end].dropFirst(colon + 3).firstIndex(of: slash) ?? end
    }
    return start < end && text[start] == slash ? start + 1..<end : start..<end
  }
}
