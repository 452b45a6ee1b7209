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

  /// Whether it is a page for people, which need not be well-formed.
  private static func isPage(_ response: Response) -> Bool {
    let start = String(decoding: response.body.prefix(200), as: UTF8.self).lowercased()
    let text = start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
  }

  /// The tree of a document, with white space before the XML declaration let pass.
  private static func tree(_ response: Response) throws -> XMLTree {
    let body = [UInt8](response.body.drop { spaces.contains($0) })
    do {
      return try tree(body, response.mediaType?.parameter("charset"), XMLOptions())
    } catch {
      throw LoadError(document: error)
    }
  }

  /// The tree of a document. What many feeds get wrong is let pass: prefixes that nobody declared, and
  /// entities of HTML.
  private static func tree(
    _ body: [UInt8], _ charset: String?, _ options: XMLOptions
  ) throws(XMLError) -> XMLTree {
    do {
      return try XMLTree(parsing: body, encoding: charset, options: options)
    } catch {
      if error.kind == .namespace, options.namespaces {
        var options = options
        options.namespaces = false
        return try tree(body, charset, options)
      }
      // If that doesn't help, it is the first error that has the right place.
      if error.kind == .undeclaredEntity, let body = HTMLEntities.declared(in: body),
        let tree = try? tree(body, charset, options)
      {
        return tree
      }
      throw error
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
