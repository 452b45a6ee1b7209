import Foundation

/// A path below a base URL, percent-encoded as it is built.
///
/// A literal is taken as written, with characters that a path can't contain percent-encoded. An interpolated value
/// becomes exactly one segment: whatever it contains, it can neither add a segment nor leave it.
///
/// ```swift
/// let login = "a/../b"
/// let path: RequestPath = "/users/\(login)/repos"  // /users/a%2F..%2Fb/repos
/// ```
public struct RequestPath: Sendable, Hashable {
  /// The percent-encoded text.
  public let encoded: String

  /// Makes a path from text that is percent-encoded already and is sent as it is.
  ///
  /// - Parameter encoded: The path. Characters that RFC 3986 section 3.3 doesn't allow, such as a space, a `?` or a
  ///   `%` without two digits, make loading the request fail.
  public init(encoded: String) { self.encoded = encoded }

  /// Makes a path from text like a literal: its slashes separate segments.
  ///
  /// - Parameter text: The path, unescaped; a `%` in it is a percent sign, not an escape.
  public init(_ text: String) {
    encoded = PercentEncoding.path.encode(text)
  }
}

extension RequestPath: ExpressibleByStringInterpolation {
  /// Makes a path without interpolated values.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// Makes a path from a literal with interpolated values.
  public init(stringInterpolation: Interpolation) {
    self.init(encoded: stringInterpolation.encoded)
  }

  /// Collects the parts of an interpolated path.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var encoded = ""

    /// Starts an empty path.
    public init(literalCapacity: Int, interpolationCount: Int) {
      encoded.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Appends a literal part, whose slashes separate segments.
    public mutating func appendLiteral(_ literal: String) {
      encoded += PercentEncoding.path.encode(literal)
    }

    /// Appends a value as exactly one segment, or as a part of one.
    ///
    /// - Parameter value: The text. If it makes a segment `.` or `..`, escaped or not, which a server would
    ///   resolve, loading the request fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      let text = value.description
      // So that it can't make a step together with what stands around it, unseen by the check.
      encoded +=
        text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
        ? text.replacing(".", with: "%2E") : PercentEncoding.unreserved.encode(text)
    }
  }
}

extension RequestPath: CustomStringConvertible {
  /// The percent-encoded text.
  public var description: String { encoded }
}

extension RequestPath {
  /// The path as a relative URL.
  var relativeURL: URL {
    URL(string: encoded.isEmpty ? "." : encoded) ?? URL(filePath: encoded)
  }
}

extension RequestPath {
  /// Checks the path before it is sent.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` for an encoded text with invalid characters, and for a segment
  ///   that a value made `.` or `..`.
  func check() throws {
    guard !hasEscapedStep else {
      throw LoadError(
        .invalidRequest, "a segment of the path \(encoded.printable) is an escaped \".\" or \"..\"",
        advice: "Servers read it as a step to another path: refuse such a value before")
    }
    let first = encoded.prefix { $0 != "/" }
    guard !PercentEncoding.wholePath.accepts(encoded) || first.contains(":") else { return }
    throw LoadError(
      .invalidRequest, "the path \"\(encoded.printable)\" isn't percent-encoded",
      advice: first.contains(":")
        ? "Begin it with a slash" : "Write it as a literal, or encode it before")
  }

  /// Returns whether a segment becomes `.` or `..` when it is unescaped once or twice: some servers resolve such a
  /// segment after a proxy in front of them has passed it.
  private var hasEscapedStep: Bool {
    guard encoded.utf8.contains(UInt8(ascii: "%")) else { return false }
    return encoded.split { $0 == "/" || $0 == "?" }.contains { segment in
      guard (3...12).contains(segment.utf8.count), segment.contains("%") else { return false }
      let once = String(segment).removingPercentEncoding ?? ""
      return [".", ".."].contains(once) || [".", ".."].contains(once.removingPercentEncoding ?? "")
    }
  }
}

extension RequestPath {
  /// Returns the URL of this path below a base URL, whose own path and query are kept.
  ///
  /// The path is always appended, with or without a slash at its beginning or at the base's end.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` if the base isn't an absolute URL with a host, or if the path
  ///   leads out of it with `..`.
  func appended(to base: URL) throws -> URL {
    try check()
    guard var parts = URLComponents(url: base, resolvingAgainstBaseURL: true),
      parts.scheme != nil, parts.encodedHost?.isEmpty == false
    else {
      throw LoadError(
        .invalidRequest,
        "the client's base URL \(base.absoluteString.redactedURL) isn't absolute",
        advice: "Write it as https://host/path")
    }
    guard !climbsOut else {
      throw LoadError(
        .invalidRequest, "the path \(encoded) climbs out of the client's base URL",
        advice: "Interpolate values into the path, or use an absolute URL")
    }
    let (path, query) = split
    parts.percentEncodedPath = Self.join(parts.percentEncodedPath, path)
    if let query {
      parts.percentEncodedQuery = [parts.percentEncodedQuery, query].compactMap(\.self)
        .filter { !$0.isEmpty }.joined(separator: "&")
    }
    parts.fragment = nil
    guard let url = parts.url else {
      throw LoadError(.invalidRequest, "the path \(encoded) can't stand in a URL")
    }
    return url
  }

  /// The path and, if it was written with one, the query.
  private var split: (path: String, query: String?) {
    guard let mark = encoded.firstIndex(of: "?") else { return (encoded, nil) }
    return (String(encoded[..<mark]), String(encoded[encoded.index(after: mark)...]))
  }

  private static func join(_ base: String, _ path: String) -> String {
    guard !path.isEmpty else { return base }
    switch (base.hasSuffix("/"), path.hasPrefix("/")) {
    case (true, true): return base + path.dropFirst()
    case (false, false): return base + "/" + path
    default: return base + path
    }
  }

  /// Returns whether `..` leads above the first segment somewhere (RFC 3986 section 5.2.4).
  private var climbsOut: Bool {
    var depth = 0
    for segment in split.path.split(separator: "/") {
      switch segment.replacing("%2e", with: ".").replacing("%2E", with: ".") {
      case ".": continue
      case "..": depth -= 1
      default: depth += 1
      }
      if depth < 0 { return true }
    }
    return false
  }
}
