internal import Foundation
internal import ResourceXML

extension Feed {
  /// Reads the feed in a document of RSS 0.9x, 1.0 or 2.0.
  ///
  /// RSS 1.0 and 0.90, which are RDF, have their items beside the channel, the others inside it.
  ///
  /// - Parameters:
  ///   - root: The element `rss` or `RDF`.
  ///   - document: The document's URL, against which relative links are resolved.
  /// - Returns: `nil` if there is no channel.
  init?(rss root: XMLTree.Element, document: URL?) {
    guard let channel = root.elements.first(where: { $0.name.local.lowercased() == "channel" })
    else { return nil }
    let base = channel.base(root.base(document))
    let links = AtomLinks(channel.elements("link", of: .atom), base: base)
    let dates = channel.own("lastBuildDate") + channel.own("pubDate")
    let beside = root.elements.filter { element in
      element.name.local == "item" && element.name.namespace == channel.name.namespace
    }
    self.init(
      title: channel.titles.line,
      link: .link(channel.own("link").text, base: base) ?? links.first("alternate"),
      summary: channel.descriptions.line,
      authors: channel.authors(channel.own("managingEditor"), channel.own("webMaster"), base: base),
      updated: dates.date ?? channel.elements("date", of: .dublinCore).date,
      items: (channel.own("item") + beside).map { Item(rss: $0, base: $0.base(base)) },
      nextPage: links.next(in: document), links: links.all)
  }
}

extension Feed.Item {
  /// Reads an item; everything in it is optional.
  fileprivate init(rss item: XMLTree.Element, base: URL?) {
    let guid = item.own("guid").first
    let links = AtomLinks(item.elements("link", of: .atom), base: base)
    let summary = item.descriptions.text.map { Feed.Text(html: $0) }
    self.init(
      id: guid?.trimmedText ?? item.value("rdf:about"), title: item.titles.line,
      link: Self.link(of: item, guid: guid, links, base: base),
      authors: item.authors(item.own("author"), base: base),
      published: item.own("pubDate").date ?? item.elements("date", of: .dublinCore).date
        ?? item.elements("issued", of: .terms).date ?? item.elements("published", of: .atom).date,
      updated: item.elements("modified", of: .terms).date
        ?? item.elements("updated", of: .atom).date,
      content: item.contents ?? summary, summary: summary,
      enclosures: Self.enclosures(of: item, base: base),
      categories: item.own("category").lines + item.elements("subject", of: .dublinCore).lines,
      links: links.all)
  }

  /// Returns the link, else an Atom link, else the guid if it is a permalink.
  private static func link(
    of item: XMLTree.Element, guid: XMLTree.Element?, _ links: AtomLinks, base: URL?
  ) -> URL? {
    let own = item.own("link")
    let isPermanent = guid?.attribute("isPermaLink")?.lowercased() != "false"
    let permanent = guid?.trimmedText.flatMap { isPermanent && $0.hasPrefix("http") ? $0 : nil }
    return .link(own.text ?? own.lazy.compactMap { $0.value("href") }.first, base: base)
      ?? links.first("alternate") ?? .link(permanent, base: base)
  }

  /// Returns the enclosures and the content of Media RSS, alone or in groups; each URL once.
  private static func enclosures(of item: XMLTree.Element, base: URL?) -> [Feed.Enclosure] {
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

// MARK: - Elements of the same meaning in several vocabularies, the best first

extension XMLTree.Element {
  fileprivate var titles: [XMLTree.Element] { own("title") + elements("title", of: .dublinCore) }

  fileprivate var descriptions: [XMLTree.Element] {
    own("description") + elements("description", of: .dublinCore)
      + elements("summary", of: .podcast) + elements("subtitle", of: .podcast)
  }

  /// The whole text of an item: escaped HTML, or elements of XHTML.
  fileprivate var contents: Feed.Text? {
    let escaped = (elements("encoded", of: .content) + own("fullitem")).text
    let markup = elements("body", of: .xhtml) + elements("div", of: .xhtml)
    return (escaped ?? markup.lazy.compactMap(\.innerHTML).first).map { Feed.Text(html: $0) }
  }

  /// Returns the people of the first elements that name any.
  ///
  /// - Parameters:
  ///   - first: Elements that are preferred to those of other vocabularies.
  ///   - last: Elements that are used if there are no others.
  fileprivate func authors(
    _ first: [XMLTree.Element], _ last: [XMLTree.Element] = [], base: URL?
  ) -> [Feed.Person] {
    let lists = [
      first, elements("creator", of: .dublinCore), elements("author", of: .dublinCore),
      elements("author", of: .podcast),
    ]
    let authors = lists.lazy.map { $0.lines.map(Feed.Person.init(mailbox:)) }.first { !$0.isEmpty }
    let atom = elements("author", of: .atom).persons(base: base)
    return authors ?? (atom.isEmpty ? last.lines.map(Feed.Person.init(mailbox:)) : atom)
  }
}

extension Feed.Person {
  /// Reads a person in the form of RSS: `mail@example.org (Name)`, or either alone.
  ///
  /// - Parameter text: The text on one line.
  fileprivate init(mailbox text: String) {
    let address = text.prefix { $0 != " " }
    let rest = text[address.endIndex...].dropFirst()
    let isAddress = address.contains("@") && address.first != "@" && address.last != "@"
    if isAddress, rest.hasPrefix("("), rest.hasSuffix(")"), rest.count > 2 {
      self.init(name: String(rest.dropFirst().dropLast()), email: String(address))
    } else if isAddress, rest.isEmpty {
      self.init(email: text)
    } else {
      self.init(name: text)
    }
  }
}
