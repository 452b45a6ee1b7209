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
  /// - Parameter urlPath: The percent-encoded path of the request's URL, which begins with that of the client's base
  ///   URL. If it doesn't end with the path that was written, the request was changed, and the result is `nil`,
  ///   as it is if nothing is known.
  package func text(in urlPath: String) -> String? {
    guard let path else { return nil }
    let bytes = Array(path.utf8)
    let range = Self.path(in: bytes)
    let (written, whole) = (bytes[range], Array(urlPath.utf8))
    guard whole.suffix(written.count).elementsEqual(written) else { return nil }
    let offset = whole.count - bytes[..<range.upperBound].count
    var (text, copied): ([UInt8], Int) = ([], 0)
    for value in values
    where range.lowerBound <= value.lowerBound && value.upperBound <= range.upperBound {
      text += whole[copied..<offset + value.lowerBound]
      text += "{}".utf8
      copied = offset + value.upperBound
    }
    return String(decoding: text + whole[copied...], as: UTF8.self)
  }

  /// Returns where the path stands in what was written, without authority, first slash and query.
  private static func path(in bytes: [UInt8]) -> Range<Int> {
    let slash = UInt8(ascii: "/")
    let end = bytes.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? bytes.count
    var start = 0
    if let colon = bytes[..<end].firstIndex(of: UInt8(ascii: ":")),
      bytes[colon..<end].dropFirst().starts(with: "//".utf8)
    {
      start = bytes[..<end].dropFirst(colon + 3).firstIndex(of: slash) ?? end
    }
    return start < end && bytes[start] == slash ? start + 1..<end : start..<end
  }
}
