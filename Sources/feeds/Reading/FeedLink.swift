import Foundation
import ResourceLoading

/// Finds the feed that a web page names (the link type `alternate` of HTML).
enum FeedLink {
  /// The URL of the first feed in the first 64 KiB of a page, or `nil` if it names none.
  static func first(in page: Response) -> URL? {
    let text = String(decoding: page.body.prefix(1 << 16), as: UTF8.self)
    for match in text.matches(of: #/<(?i)link\s([^>]{1,2000})>/#) {
      let tag = match.1
      guard let type = attribute("type", of: tag)?.lowercased(), types.contains(type),
        attribute("rel", of: tag)?.lowercased().contains("alternate") == true
      else { continue }
      return .link(attribute("href", of: tag), base: page.url)
    }
    return nil
  }

  private static let types: Set = [
    "application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml",
  ]

  private static func attribute(_ name: String, of tag: Substring) -> String? {
    let attributes = tag.matches(of: #/([A-Za-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/#)
    let match = attributes.first { $0.1.lowercased() == name }
    return (match?.2 ?? match?.3 ?? match?.4).map { String($0).replacing("&amp;", with: "&") }
  }
}
