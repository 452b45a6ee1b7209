import Foundation
import ResourcePrimitives

extension RequestPath {
  func check() throws {
    guard !hasEscapedStep else {
      throw Self.invalid(
        "a segment of the path \(shown) is an escaped \".\" or \"..\"",
        "Servers read it as a step to another path: refuse such a value before")
    }
    try checkForm()
    let first = Substring(encoded.utf8.prefix { $0 != UInt8(ascii: "/") })
    guard !first.lowercased().hasPrefix("http%3a") && !first.lowercased().hasPrefix("https%3a")
    else {
      throw Self.invalid(
        "the path \(shown) begins with a whole URL as one segment",
        "Make the request by Request(url:), or give the client a base URL")
    }
    guard !PercentEncoding.wholePath.accepts(encoded) || first.includes(":") else { return }
    throw Self.invalid(
      "the path \"\(encoded.printable)\" isn't percent-encoded",
      first.includes(":") ? "Begin it with a slash" : "Write it as a literal, or encode it before")
  }

  /// Checks that the literal is a path.
  private func checkForm() throws {
    switch form {
    case .path: return
    case .url:
      throw Self.invalid("the URL \(shown) can't be read", "Write it as https://host/path")
    case .fragment:
      throw Self.invalid(
        "the path \(shown.replacing("%23", with: "#")) has a fragment, which is never sent",
        "Leave it out, or write a # that belongs to the path as %23")
    case .host:
      throw Self.invalid(
        "the path \(shown) begins with two slashes, as a URL of another host does",
        "Begin it with one slash, or with the scheme of a URL")
    }
  }

  private var shown: String { description.redactedURL.printable }

  private static func invalid(_ reason: String, _ advice: String? = nil) -> LoadError {
    LoadError(.invalidRequest, reason, advice: advice)
  }

  /// Returns whether a segment becomes `.` or `..` when it is unescaped once or twice: some servers
  /// resolve such a segment after a proxy in front of them has passed it.
  var hasEscapedStep: Bool {
    guard encoded.utf8.contains(UInt8(ascii: "%")) else { return false }
    let (slash, mark) = (UInt8(ascii: "/"), UInt8(ascii: "?"))
    return encoded.utf8.split { $0 == slash || $0 == mark }.contains { segment in
      guard (3...12).contains(segment.count), segment.contains(UInt8(ascii: "%")) else {
        return false
      }
      let once = String(Substring(segment)).percentDecoded ?? ""
      return [".", ".."].contains(once) || [".", ".."].contains(once.percentDecoded ?? "")
    }
  }
}

extension RequestPath {
  /// Returns the URL of this path below a base URL, whose own path and query are kept.
  ///
  /// The path is always appended, with or without a slash at its beginning or at the base's end.
  func appended(to base: URL) throws -> URL {
    try check()
    guard var parts = URLComponents(url: base, resolvingAgainstBaseURL: true),
      parts.scheme != nil, parts.encodedHost?.isEmpty == false
    else {
      throw Self.invalid(
        "the client's base URL \(base.absoluteString.redactedURL) isn't absolute",
        "Write it as https://host/path")
    }
    guard !climbsOut else {
      throw Self.invalid(
        "the path \(encoded) climbs out of the client's base URL",
        "Interpolate values into the path, or use an absolute URL")
    }
    parts.percentEncodedPath = Self.join(parts.percentEncodedPath, encoded)
    if !query.isEmpty {
      parts.percentEncodedQuery = [parts.percentEncodedQuery, query].compactMap(\.self)
        .filter { !$0.isEmpty }.joined(separator: "&")
    }
    parts.fragment = nil
    guard let url = parts.url else {
      throw Self.invalid("the path \(encoded) can't stand in a URL")
    }
    return url
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
    // Escaped dots have been refused.
    for segment in encoded.utf8.split(separator: UInt8(ascii: "/")) {
      switch Substring(segment) {
      case ".": continue
      case "..": depth -= 1
      default: depth += 1
      }
      if depth < 0 { return true }
    }
    return false
  }
}
