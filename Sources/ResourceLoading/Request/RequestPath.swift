import Foundation
import ResourcePrimitives

/// A path below a base URL, percent-encoded as it is built.
///
/// A literal is written as in a URL: its escapes are kept, and characters that a URL can't contain
/// are percent-encoded. An interpolated value becomes exactly one segment: whatever it contains, it
/// can neither add a segment nor leave it.
///
/// ```swift
/// let login = "a/../b"
/// let path: RequestPath = "/users/\(login)/repos"  // /users/a%2F..%2Fb/repos
/// ```
///
/// What follows a `?` in a literal is a query: in a ``Request`` it becomes query items, and a value
/// that is interpolated there stays within its item. A literal that begins with a scheme is a URL,
/// and the request is one for that URL:
///
/// ```swift
/// let search = Request.get("/search?q=\(text)&page=2")
/// let user = Request.get("https://api.github.com/users/\(login)")
/// ```
///
/// A path with a fragment, or with two slashes at its beginning, makes loading the request fail with
/// a hint. The fragment of a URL isn't sent.
public struct RequestPath: Sendable, Hashable {
  /// The percent-encoded text of the path, without the query of a literal; the whole URL if a
  /// literal begins with a scheme.
  public let encoded: String

  /// The percent-encoded query of a literal; empty if it has none.
  let query: String

  /// The path as a literal has it.
  let template: PathTemplate

  /// The form of the literal.
  let form: LiteralForm

  enum LiteralForm: Sendable, Hashable {
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

  /// Creates a path from text that is percent-encoded already and is sent as it is.
  ///
  /// - Parameter encoded: The path. Characters that RFC 3986 section 3.3 doesn't allow, such as a
  ///   space, a `?` or a `%` without two digits, make loading the request fail.
  public init(encoded: String) { self.init(encoded: encoded, query: "", form: .path) }

  /// Creates a path from plain text, such as the name of a file with its folders: its slashes
  /// separate segments.
  ///
  /// - Parameter text: The path, unescaped: a `%` in it is a percent sign, and a `?` begins no
  ///   query.
  public init(_ text: String) {
    self.init(encoded: PercentEncoding.path.encode(text))
  }
}

extension RequestPath: ExpressibleByStringInterpolation {
  /// Creates a path without interpolated values.
  public init(stringLiteral value: String) {
    var parts = Interpolation(literalCapacity: value.utf8.count, interpolationCount: 0)
    parts.appendLiteral(value)
    self.init(stringInterpolation: parts)
  }

  /// Creates a path from a literal with interpolated values.
  public init(stringInterpolation: Interpolation) {
    let (encoded, query) = (stringInterpolation.encoded, stringInterpolation.query)
    let form = stringInterpolation.form
    let escaped = form == .url ? URLReference(encoded).escaped.text : encoded
    let template = PathTemplate(
      escaped == encoded ? encoded : nil, as: stringInterpolation.template ?? encoded)
    self.init(encoded: escaped, query: query, form: form, template: template)
  }

  /// Collects the parts of an interpolated path.
  public struct Interpolation: StringInterpolationProtocol {
    fileprivate var encoded = ""
    fileprivate var query = ""
    fileprivate var form = LiteralForm.path
    /// The path with `{}` in the place of each value; `nil` as long as there is none.
    fileprivate var template: String?
    /// Whether a `?` was there.
    private var isQuery = false

    /// Starts an empty path.
    public init(literalCapacity: Int, interpolationCount: Int) {
      encoded.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Appends a literal part, whose slashes separate segments and whose first `?` begins the
    /// query.
    public mutating func appendLiteral(_ literal: String) {
      if encoded.isEmpty { begin(literal) }
      if form == .url {
        append(literal)
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

    /// Appends a value as exactly one segment, or as a part of one; after a `?` as a part of one
    /// query item.
    ///
    /// - Parameter value: The text. If it makes a segment `.` or `..`, escaped or not, which a
    ///   server would resolve, loading the request fails with a ``LoadError`` of kind
    ///   ``LoadError/Kind/invalidRequest``.
    public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      let text = value.description
      if isQuery {
        query += PercentEncoding.unreserved.encode(text)
      } else {
        template = (template ?? encoded) + "{}"
        // Plain dots could make a `..` together with the text around them, unseen by the check.
        encoded +=
          text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
          ? text.replacing(".", with: "%2E") : PercentEncoding.unreserved.encode(text)
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
      append(PercentEncoding.path.complete(String(text[..<end])))
      append(PercentEncoding.wholePath.complete(String(text[end...])))
    }

    private mutating func append(_ text: String) {
      encoded += text
      template? += text
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
