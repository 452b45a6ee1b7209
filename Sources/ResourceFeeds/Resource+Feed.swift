public import Foundation
public import ResourceLoading
internal import ResourceXML

extension Resource where R == Feed {
  /// A request whose response is a feed in RSS, Atom or JSON Feed.
  ///
  /// The request asks for feeds unless it has its own `Accept`. The format is detected from the
  /// body, because servers send feeds with all kinds of media types. Relative links are resolved
  /// against the response's URL. A body that isn't a feed is a `LoadError` of kind `parsing`.
  ///
  /// - Parameter request: The request to send.
  public static func feed(_ request: Request) -> Self {
    var request = request
    request.headers.imply(
      .accept, "application/feed+json, application/atom+xml, application/rss+xml, */*;q=0.5")
    return Resource(request) { response in try Feed(response) }
  }

  /// A `GET` of a feed.
  ///
  /// - Parameter url: An absolute `http` or `https` URL.
  public static func feed(_ url: URL) -> Self { .feed(Request(url: url)) }
}

extension Pagination where R == Feed {
  /// Follows ``Feed/nextPage``, from newer items to older ones.
  ///
  /// Pages are requested without redirects, so that each comes from the origin of the page that
  /// links to it.
  public static var nextPage: Pagination {
    .following { page in
      guard let url = page.value.nextPage else { return nil }
      var request = page.request
      (request.address, request.query) = (.url(url), [:])
      request.options.redirects = .never
      return request
    }
  }
}

extension Feed {
  /// Reads the feed in a response.
  ///
  /// - Parameter response: The response. Relative links are resolved against its URL, and the
  ///   charset of its `Content-Type` is used.
  /// - Throws: `LoadError` of kind `parsing` if the body isn't a feed. For a broken document it has
  ///   the line, the column and the text around the error.
  public init(_ response: Response) throws(LoadError) {
    try self.init(
      parsing: response.body, from: response.url, charset: response.mediaType?.parameter("charset"))
  }

  /// Reads a feed.
  ///
  /// - Parameters:
  ///   - data: The document, in RSS, Atom or JSON Feed.
  ///   - url: The document's URL, against which relative links are resolved. Without it, relative
  ///     links and ``nextPage`` are left out.
  ///   - charset: The charset that came with the document. It takes precedence over the declared
  ///     one.
  /// - Throws: `LoadError` of kind `parsing` if the document isn't a feed. For a broken document it
  ///   has the line, the column and the text around the error.
  public init(parsing data: Data, from url: URL? = nil, charset: String? = nil) throws(LoadError) {
    switch FeedFormat(data) {
    case .json:
      guard let feed = Feed(json: try JSONValue(parsing: data), document: url) else {
        throw LoadError(
          .parsing, "the document is JSON, but it has no list `items`, so it isn't a feed")
      }
      self = feed
    case .xml:
      let tree = try Self.tree(of: data, charset: charset)
      guard let feed = Feed(tree.root, document: url) else {
        throw LoadError(
          .parsing, "the document is XML, but its root <\(tree.root.name)> isn't that of a feed")
      }
      self = feed
    case .page:
      let feed = FeedLinkFinder.first(in: data, at: url)
      throw LoadError(
        .parsing, "the document is a web page, not a feed",
        advice: feed.map { "Load the feed that the page names: \($0.absoluteString)" })
    case .empty: throw LoadError(.parsing, "the body is empty, so there is no feed in it")
    case .unknown:
      throw LoadError(.parsing, "the document is neither XML nor JSON, so it isn't a feed")
    }
  }

  private static func tree(of data: Data, charset: String?) throws(LoadError) -> XMLTree {
    do throws(XMLError) {
      return try XMLTree(repairing: data, charset: charset)
    } catch {
      throw LoadError(document: error)
    }
  }

  private init?(_ root: XMLTree.Element, document: URL?) {
    switch root.name.local.lowercased() {
    case "rss", "rdf", "rdf:rdf", "channel": self.init(rss: root, document: document)
    case "feed", "entry": self.init(atom: root, document: document)
    default: return nil
    }
  }
}

extension LoadError {
  /// Creates the error for a document that isn't well-formed or exceeds a limit.
  fileprivate init(document error: XMLError) {
    let problem = error.kind == .limit ? "can't be read" : "isn't well-formed XML"
    self.init(.parsing, "the document \(problem): \(error.message)", underlying: error)
    parsing = ParsingFailure(
      path: "", line: error.line, column: error.column,
      snippet: error.snippet.isEmpty ? nil : error.snippet)
  }
}

private enum FeedFormat {
  case json, xml, page, empty, unknown

  init(_ data: Data) {
    switch Self.firstCharacter(of: data) {
    case nil: self = .empty
    case "{", "[": self = .json
    case "<": self = Self.isPage(data) ? .page : .xml
    // Some servers print warnings before the document.
    default: self = FeedMarkup.start(in: data) == nil ? .unknown : .xml
    }
  }

  private static let byteOrderMarks: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0]
  private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

  /// The first character that isn't white space, in UTF-8, UTF-16 or an encoding that is compatible
  /// with ASCII.
  private static func firstCharacter(of data: Data) -> Unicode.Scalar? {
    data.first { !byteOrderMarks.contains($0) && !spaces.contains($0) }.map { Unicode.Scalar($0) }
  }

  /// Returns whether a document is HTML, which needn't be well-formed.
  private static func isPage(_ data: Data) -> Bool {
    let start = String(decoding: data.prefix(200), as: UTF8.self).lowercased()
    let text = start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
  }
}
