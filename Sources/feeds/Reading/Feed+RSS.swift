import Foundation
import ResourceXML

extension Feed {
  /// The feed in a document of RSS 0.9x, 1.0 or 2.0.
  ///
  /// RSS 1.0 and 0.90, which are RDF, have their items beside the channel, the others inside it.
  ///
  /// - Parameters:
  ///   - root: The element `rss` or `RDF`.
  ///   - base: Where the document came from; relative links start there.
  /// - Returns: `nil` if there is no channel.
  init?(rss root: XMLTree.Element, base: URL) {
    guard let channel = root.elements.first(where: { $0.name.local.lowercased() == "channel" })
    else { return nil }
    let base = channel.base(root.base(base))
    title = channel.own("title").line
    link = .link(channel.own("link").text, base: base)
    summary = channel.own("description").line
    authors = RSSPerson.names(
      channel.own("managingEditor"), channel.elements("creator", of: .dublinCore),
      channel.elements("author", of: .podcast))
    updated =
      channel.own("lastBuildDate").date ?? channel.own("pubDate").date
      ?? channel.elements("date", of: .dublinCore).date
    let links = AtomLinks(channel.elements("link", of: .atom), base: base)
    nextPage = links.first("next")
    link = link ?? links.first("alternate")
    let beside = root.elements.filter { element in
      element.name.local == "item" && element.name.namespace == channel.name.namespace
    }
    items = (channel.own("item") + beside).map { Item(rss: $0, base: $0.base(base)) }
  }
}

extension Feed.Item {
  /// An item of RSS; everything in it is optional.
  fileprivate init(rss item: XMLTree.Element, base: URL) {
    let guid = item.own("guid").first
    id = guid?.trimmedText ?? item.value("rdf:about")
    title = item.own("title").line ?? item.elements("title", of: .dublinCore).line
    link = Self.link(of: item, guid: guid, base: base)
    authors = RSSPerson.names(
      item.own("author"), item.elements("creator", of: .dublinCore),
      item.elements("author", of: .podcast))
    published =
      item.own("pubDate").date ?? item.elements("date", of: .dublinCore).date
      ?? item.elements("issued", of: .terms).date ?? item.elements("published", of: .atom).date
    updated =
      item.elements("modified", of: .terms).date ?? item.elements("updated", of: .atom).date
    summary = item.own("description").text ?? item.elements("summary", of: .podcast).text
    content = item.elements("encoded", of: .content).text ?? summary
    categories = item.own("category").lines + item.elements("subject", of: .dublinCore).lines
    enclosures = Self.enclosures(of: item, base: base)
  }

  /// The link, else an Atom link, else the guid where it may be one.
  private static func link(
    of item: XMLTree.Element, guid: XMLTree.Element?, base: URL
  ) -> URL? {
    let own = item.own("link")
    let isPermanent = guid?.attribute("isPermaLink")?.lowercased() != "false"
    let permanent = guid?.trimmedText.flatMap { isPermanent && $0.hasPrefix("http") ? $0 : nil }
    return .link(own.text ?? own.lazy.compactMap { $0.value("href") }.first, base: base)
      ?? AtomLinks(item.elements("link", of: .atom), base: base).first("alternate")
      ?? .link(permanent, base: base)
  }

  /// Enclosures, and what Media RSS has for them, alone or in groups; each URL once.
  private static func enclosures(of item: XMLTree.Element, base: URL) -> [Feed.Enclosure] {
    let groups = [item] + item.elements("group", of: .media)
    let media = groups.flatMap { $0.elements("content", of: .media) }
    var known: Set<URL> = []
    return (item.own("enclosure") + media).compactMap { element in
      guard let url = URL.link(element.value("url"), base: base), known.insert(url).inserted
      else { return nil }
      let length = element.value("length") ?? element.value("fileSize")
      return Feed.Enclosure(
        url: url, mediaType: element.value("type"), length: length.flatMap { Int($0) })
    }
  }
}

/// People as RSS has them: `mail@example.org (Name)`, or either alone.
private enum RSSPerson {
  /// The names in the first list that has any.
  static func names(_ lists: [XMLTree.Element]...) -> [String] {
    lists.lazy.map { $0.lines.map(name) }.first { !$0.isEmpty } ?? []
  }

  private static func name(_ text: String) -> String {
    guard let match = text.wholeMatch(of: #/\S+@\S+ \((.+)\)/#) else { return text }
    return String(match.1)
  }
}
