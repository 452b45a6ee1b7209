import Foundation

/// A path below a base URL, percent-encoded as it is built.
///
/// A literal is written as in a URL: its escapes are kept, and characters that a URL can't contain are percent-encoded.
/// An interpolated value becomes exactly one segment: whatever it contains, it can neither add a segment nor leave it.
///
/// ```swift
/// let login = "a/../b"
/// let path: RequestPath = "/users/\(login)/repos"  // /users/a%2F..%2Fb/repos
/// ```
///
/// What follows a `?` in a literal is a query: in a ``Request`` it becomes query items, and a value that is interpolated
/// there stays within its item. A literal that begins with a scheme is a URL, and the request is one for that URL:
///
/// ```swift
/// let search = Request.get("/search?q=\(text)&page=2")
/// let user = Request.get("https://api.github.com/users/\(login)")
/// ```
///
/// A literal with a fragment, or with two slashes at its beginning, makes loading the request fail with a hint.
public struct RequestPath: Sendable, Hashable {
  /// The percent-encoded text of the path, without the query of a literal; the whole URL if a literal begins with a
  /// scheme.
  public let encoded: String

  /// The percent-encoded query of a literal; empty if it has none.
  let query: String

  /// The path as a literal has it.
  let template: PathTemplate

  /// The form of the literal.
  private let form: LiteralForm

  fileprivate enum LiteralForm: Sendable, Hashable {
    case path, url, fragment, host
  }

  private init(
    encoded: String, query: String, form: LiteralForm, template: PathTemplate = .unknown
  ) {
    self.encoded = encoded
    self.query = query
    self.form = form
    self.template = template
  }

  /// Makes a path from text that is percent-encoded already and is sent as it is.
  ///
  /// - Parameter encoded: The path. Characters that RFC 3986 section 3.3 doesn't allow, such as a space, a `?` or a
  ///   `%` without two digits, make loading the request fail.
  public init(encoded: String) { self.init(encoded: encoded, query: "", form: .path) }

  /// Makes a path from plain text, such as the name of a file with its folders: its slashes separate segments.
  ///
  /// - Parameter text: The path, unescaped: a `%` in it is a percent sign, and a `?` begins no query.
  public init(_ text: String) {
    self.init(encoded: PercentEncoding.path.encode(text))
  }
}

extension RequestPath: ExpressibleByStringInterpolation {
  /// Makes a path without interpolated values.
  public init(stringLiteral value: String) {
    var parts = Interpolation(literalCapacity: value.utf8.count, interpolationCount: 0)
    parts.appendLiteral(value)
    self.init(stringInterpolation: parts)
  }

  /// Makes a path from a literal with interpolated values.
  public init(stringInterpolation: Interpolation) {
    let (encoded, query) = (stringInterpolation.encoded, stringInterpolation.query)
    let form = stringInterpolation.form
    let escaped = form == .url ? URLReference(encoded).escaped.text : encoded
    // Escapes that are added move the values.
    let template =
      escaped == encoded
      ? PathTemplate(encoded, values: stringInterpolation.values) : .unknown
    self.init(encoded: escaped, query: query, form: form, template: template)
  }

  /// Collects the parts of an interpolated path.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var encoded = ""
    fileprivate var query = ""
    fileprivate var form = LiteralForm.path
    /// The offsets of the values in the path, in UTF-8.
    fileprivate var values: [Range<Int>] = []
    /// Whether a `?` was there.
    private var isQuery = false

    /// Starts an empty path.
    public init(literalCapacity: Int, interpolationCount: Int) {
      encoded.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Appends a literal part, whose slashes separate segments and whose first `?` begins the query.
    public mutating func appendLiteral(_ literal: String) {
      if encoded.isEmpty { begin(literal) }
      if form == .url {
        encoded += literal
      } else if isQuery {
        appendQuery(literal)
      } else if let (path, rest) = literal.cut(at: "?") {
        isQuery = true
        appendPath(String(path))
        appendQuery(String(rest))
      } else {
        appendPath(literal)
      }
    }

    /// Appends a value as exactly one segment, or as a part of one; behind a `?` as a part of one query item.
    ///
    /// - Parameter value: The text. If it makes a segment `.` or `..`, escaped or not, which a server would
    ///   resolve, loading the request fails with a ``LoadError`` of kind ``LoadError/Kind/invalidRequest``.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      let text = value.description
      if isQuery {
        query += PercentEncoding.unreserved.encode(text)
      } else {
        let start = encoded.utf8.count
        // Plain dots could make a `..` together with the text around them, unseen by the check.
        encoded +=
          text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
          ? text.replacing(".", with: "%2E") : PercentEncoding.unreserved.encode(text)
        values.append(start..<encoded.utf8.count)
      }
    }

    private mutating func begin(_ literal: String) {
      if literal.begins(with: "//") { form = .host }
      if URLReference(literal).isAbsolute { form = .url }
    }

    private mutating func appendPath(_ text: String) {
      if text.utf8.contains(UInt8(ascii: "#")) { form = .fragment }
      // A colon in the first segment would make it a scheme.
      let slash = UInt8(ascii: "/")
      let isFirst = !encoded.utf8.contains(slash)
      let end = isFirst ? text.utf8.firstIndex(of: slash) ?? text.endIndex : text.startIndex
      encoded += PercentEncoding.path.complete(String(text[..<end]))
      encoded += PercentEncoding.wholePath.complete(String(text[end...]))
    }

    private mutating func appendQuery(_ text: String) {
      if text.utf8.contains(UInt8(ascii: "#")) { form = .fragment }
      query += PercentEncoding.query.complete(text)
    }
  }
}

extension RequestPath: CustomStringConvertible {
  /// The percent-encoded text, with the query of a literal.
  public var description: String { query.isEmpty ? encoded : "\(encoded)?\(query)" }
}

extension RequestPath {
  /// The path as a relative URL.
  var relativeURL: URL {
    URL(string: encoded.isEmpty ? "." : encoded)
      ?? URL(string: PercentEncoding.path.encode(encoded)) ?? URL(filePath: encoded)
  }

  /// The address of a request with this path, and the query items of the literal.
  var address: (Request.Address, QueryItems) {
    // A URL isn't checked for steps as a path is.
    if form == .url, !hasEscapedStep, let url = URL(string: encoded) { return (.url(url), [:]) }
    guard !query.isEmpty, form == .path else { return (.path(self), [:]) }
    return (.path(RequestPath(encoded: encoded)), QueryItems(encoded: query))
  }
}

extension RequestPath {
  /// Checks the path before it is sent.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` for an encoded text with invalid characters, for a segment that a
  ///   value made `.` or `..`, and for a literal that is no path.
  func check() throws {
    guard !hasEscapedStep else {
      throw Self.invalid(
        "a segment of the path \(shown) is an escaped \".\" or \"..\"",
        "Servers read it as a step to another path: refuse such a value before")
    }
    try checkForm()
    let first = encoded.prefix { $0 != "/" }
    guard !first.lowercased().hasPrefix("http%3a") && !first.lowercased().hasPrefix("https%3a")
    else {
      throw Self.invalid(
        "the path \(shown) begins with a whole URL as one segment",
        "Make the request by Request(url:), or give the client a base URL")
    }
    guard !PercentEncoding.wholePath.accepts(encoded) || first.contains(":") else { return }
    throw Self.invalid(
      "the path \"\(encoded.printable)\" isn't percent-encoded",
      first.contains(":") ? "Begin it with a slash" : "Write it as a literal, or encode it before")
  }

  /// Checks that the literal is a path.
  ///
  /// - Throws: `LoadError` of kind `invalidRequest` for a URL that can't be read, a fragment, and two slashes at the
  ///   beginning.
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

  private static func invalid(_ reason: String, _ advice: String) -> LoadError {
    LoadError(.invalidRequest, reason, advice: advice)
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
    parts.percentEncodedPath = Self.join(parts.percentEncodedPath, encoded)
    if !query.isEmpty {
      parts.percentEncodedQuery = [parts.percentEncodedQuery, query].compactMap(\.self)
        .filter { !$0.isEmpty }.joined(separator: "&")
    }
    parts.fragment = nil
    guard let url = parts.url else {
      throw LoadError(.invalidRequest, "the path \(encoded) can't stand in a URL")
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
    for segment in encoded.split(separator: "/") {
      let isEscaped = segment.utf8.contains(UInt8(ascii: "%"))
      switch isEscaped
        ? segment.replacing("%2e", with: ".").replacing("%2E", with: ".") : segment
      {
      case ".": continue
      case "..": depth -= 1
      default: depth += 1
      }
      if depth < 0 { return true }
    }
    return false
  }
}
