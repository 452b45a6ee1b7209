import Foundation
import ResourceLoading
import ResourceXML

/// A document that may hold a feed, told apart by its own bytes: servers send feeds under all sorts of media
/// types.
enum FeedDocument {
  case json(JSONFeed)
  case xml(XMLTree)

  /// Reads a document as what it looks like.
  ///
  /// - Throws: `LoadError` if it looks like neither or isn't well-formed XML, `DecodingError` if it is JSON
  ///   and no feed.
  init(_ response: Response) throws {
    switch Self.firstCharacter(of: response.body) {
    case nil: throw LoadError(.parsing, "the body is empty, so there is no feed in it")
    case "{", "[": self = .json(try JSONDecoder().decode(JSONFeed.self, from: response.body))
    case "<" where Self.isPage(response): throw LoadError(page: response)
    case "<": self = .xml(try Self.tree(response))
    // Servers write warnings before what they serve.
    case _ where Self.hasDeclaration(response): self = .xml(try Self.tree(response))
    default: throw LoadError(.parsing, "the document is neither XML nor JSON, so it is no feed")
    }
  }
}

extension FeedDocument {
  private static let byteOrderMarks: Set<UInt8> = [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0]
  private static let spaces: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

  /// What stands first in a text of UTF-8, UTF-16 or an encoding like ASCII, white space aside.
  private static func firstCharacter(of body: Data) -> Unicode.Scalar? {
    body.first { !byteOrderMarks.contains($0) && !spaces.contains($0) }.map { Unicode.Scalar($0) }
  }

  /// Whether an XML declaration stands somewhere near the beginning.
  private static func hasDeclaration(_ response: Response) -> Bool {
    response.body.prefix(4096).firstRange(of: Data("<?xml ".utf8)) != nil
  }

  /// Whether it is a page for people, which need not be well-formed.
  private static func isPage(_ response: Response) -> Bool {
    let start = String(decoding: response.body.prefix(200), as: UTF8.self).lowercased()
    let text = start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
  }

  /// The tree of a document, read again as long as its mistakes can be made good.
  ///
  /// - Throws: `LoadError` with the first mistake, which has the right place.
  private static func tree(_ response: Response) throws -> XMLTree {
    var text = FeedText(response.body, charset: response.mediaType?.parameter("charset"))
    var first: XMLError?
    while true {
      do throws(XMLError) {
        return try XMLTree(parsing: text.bytes, encoding: text.charset, options: text.options)
      } catch {
        first = first ?? error
        guard text.mend(after: error) else { throw LoadError(document: first ?? error) }
      }
    }
  }
}

extension LoadError {
  /// The error for a document that isn't well-formed.
  fileprivate init(document error: XMLError) {
    self.init(.parsing, "the document isn't well-formed XML: \(error.message)", underlying: error)
    parsing = ParsingFailure(
      path: "", line: error.line, column: error.column,
      snippet: error.snippet.isEmpty ? nil : error.snippet)
  }

  /// The error for a page where a feed was wanted.
  fileprivate init(page response: Response) {
    let feed = FeedLink.first(in: response)
    self.init(
      .parsing, "the document is a web page, not a feed",
      advice: feed.map { "The page names this feed: \($0.absoluteString)" })
  }
}
