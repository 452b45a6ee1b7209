package import Foundation

/// A URL or a relative reference in its five parts (RFC 3986 appendix B), as text that isn't
/// checked.
package struct URLReference {
  private var scheme: Substring?
  private var authority: Substring?
  private var path: String
  private var query: Substring?
  private var fragment: Substring?

  package init(_ text: String) {
    var rest = text[...]
    fragment = rest.cut(from: "#")
    query = rest.cut(from: "?")
    if let (before, behind) = rest.cut(at: ":"), before.isScheme {
      scheme = before
      rest = behind
    }
    if rest.begins(with: "//") {
      let start = rest.unicodeScalars.dropFirst(2)
      authority = Substring(start.prefix { $0 != "/" })
      rest = Substring(start.drop { $0 != "/" })
    }
    path = String(rest)
  }

  /// Whether it has a scheme and a host (or an empty one).
  package var isAbsolute: Bool { scheme != nil && authority != nil }

  /// The text of the five parts together (section 5.3).
  package var text: String {
    (scheme.map { "\($0):" } ?? "") + (authority.map { "//\($0)" } ?? "") + path
      + (query.map { "?\($0)" } ?? "") + (fragment.map { "#\($0)" } ?? "")
  }

  /// This reference resolved against a base (section 5.2.2, strictly: a scheme of its own makes it
  /// absolute).
  func resolved(against base: URLReference) -> URLReference {
    var target = self
    if scheme != nil || authority != nil {
      target.path = Self.removingDots(path)
      target.scheme = scheme ?? base.scheme
      return target
    }
    (target.scheme, target.authority) = (base.scheme, base.authority)
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
    } else {
      target.path = Self.removingDots(path.begins(with: "/") ? path : base.merged(with: path))
    }
    return target
  }
}

extension URLReference {
  /// This reference with characters escaped that a path, query or fragment can't contain. Existing
  /// escapes are kept: Foundation would escape their percent signs again beside a character that
  /// needs it.
  package var escaped: URLReference {
    var escaped = self
    escaped.path = PercentEncoding.wholePath.complete(path)
    escaped.query = query.map { PercentEncoding.query.complete(String($0))[...] }
    escaped.fragment = fragment.map { PercentEncoding.query.complete(String($0))[...] }
    return escaped
  }

  /// A relative path in the folder of this one's (section 5.2.3).
  private func merged(with relative: String) -> String {
    if authority != nil, path.isEmpty { return "/" + relative }
    guard let slash = path.lastIndex(of: "/") else { return relative }
    return path[...slash] + relative
  }

  /// A path without its steps `.` and `..` (section 5.2.4), escaped or not: they mean the same
  /// (section 6.2.2.2), and some servers and proxies take them so.
  package static func removingDots(_ path: String) -> String {
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    var kept: [Substring] = []
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment.utf8.count > 2 ? unescapedDots(segment) : segment {
      case ".": if isLast { kept.append("") }
      case "..":
        // The empty segment before a leading slash stays.
        if kept.count > (path.hasPrefix("/") ? 1 : 0) { kept.removeLast() }
        if isLast { kept.append("") }
      default: kept.append(segment)
      }
    }
    return kept.joined(separator: "/")
  }

  private static func unescapedDots(_ segment: Substring) -> Substring {
    // The longest is `%2E%2E`.
    guard segment.utf8.count <= 6 else { return segment }
    return segment.replacing("%2e", with: ".").replacing("%2E", with: ".")
  }
}

extension URL {
  /// Resolves a server's reference against the URL that it was sent with; `nil` if the result isn't
  /// a URL. Characters that a URL can't contain are escaped.
  ///
  /// Foundation isn't used, because its answers differ from RFC 3986 for an empty reference and for
  /// dots after a host, and between platforms.
  package init?(reference: String, from base: URL) {
    let target = URLReference(reference.trimmingSpaces()).escaped
    self.init(string: target.resolved(against: URLReference(base.absoluteString)).text)
  }
}

extension Substring {
  /// Cuts the end off from a delimiter on, and returns it without the delimiter.
  fileprivate mutating func cut(from delimiter: Unicode.Scalar) -> Substring? {
    guard let (before, behind) = cut(at: delimiter) else { return nil }
    self = before
    return behind
  }

  /// Whether this is a scheme (section 3.1).
  fileprivate var isScheme: Bool {
    utf8.first?.isASCIILetter == true
      && utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
  }
}
