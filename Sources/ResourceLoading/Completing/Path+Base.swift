import Foundation

extension Path {
  /// The URL of this path below a base URL, whose own path and query are kept.
  ///
  /// The path is always appended, with or without a slash at its beginning or at the base's end.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` if the base isn't an absolute URL with a host, or if the
  ///   path climbs out of it with `..`.
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

  /// Whether steps up outnumber the segments before them somewhere (RFC 3986 section 5.2.4).
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
