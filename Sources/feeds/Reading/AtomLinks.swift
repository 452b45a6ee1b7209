import Foundation
import ResourceXML

/// The links of a feed or an entry of Atom (RFC 4287 section 4.2.7).
struct AtomLinks {
  private struct Link {
    let relation: String
    let url: URL
    let mediaType: String?
    let length: Int?
  }

  private let links: [Link]

  /// Reads elements called `link`; those without a URL that can be read are lost.
  init(_ elements: [XMLTree.Element], base: URL) {
    links = elements.compactMap { element in
      let text = element.value("href") ?? element.trimmedText
      guard let url = URL.link(text, base: element.base(base)) else { return nil }
      return Link(
        relation: element.value("rel")?.lowercased() ?? "alternate", url: url,
        mediaType: element.value("type"), length: element.value("length").flatMap { Int($0) })
    }
  }

  /// The first link of a relation, one to a page rather than to anything else.
  func first(_ relation: String) -> URL? {
    let fitting = links.filter { $0.relation == relation }
    let page = fitting.first { $0.mediaType.map { $0.contains("html") } ?? true }
    return (page ?? fitting.first)?.url
  }

  /// The files that belong to the entry.
  var enclosures: [Feed.Enclosure] {
    links.filter { $0.relation == "enclosure" }.map {
      Feed.Enclosure(url: $0.url, mediaType: $0.mediaType, length: $0.length)
    }
  }
}
