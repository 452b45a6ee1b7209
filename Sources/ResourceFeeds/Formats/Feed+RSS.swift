internal import Foundation
import ResourcePrimitives
internal import ResourceXML

extension Feed {
  /// Reads the feed in a document of RSS 0.9x, 1.0, 1.1 or 2.0; `nil` if there is neither a channel
  /// nor an item.
  ///
  /// RSS 1.0 and 0.90, which are RDF, have their items beside the channel. RSS 1.1 has them in a
  /// list inside it, and other versions directly inside it. Some documents have items without a
  /// channel.
  init?(rss root: XMLTree.Element, document: URL?) {
    if root.isChannel {
      let items = root.channelItems
      guard !items.isEmpty || root.name.namespace == "http://purl.org/net/rss1.1#" else {
        return nil
      }
      self.init(channel: root, items: items, base: root.base(document), document: document)
      return
    }
    let channel = root.elements.first(where: \.isChannel)
    let beside = root.elements.filter { element in
      element.name.local == "item" && channel.map(element.hasNamespace) ?? true
    }
    guard channel != nil || !beside.isEmpty else { return nil }
    self.init(
      channel: channel ?? root, items: (channel?.channelItems ?? []) + beside,
      base: channel?.base(root.base(document)) ?? root.base(document), document: document)
  }

  private init(
    channel: XMLTree.Element, items: [XMLTree.Element], base: URL?, document: URL?
  ) {
    let links = channel.links(base: base)
    let dates =
      channel.own("lastBuildDate") + channel.own("pubDate")
      + channel.elements("date", of: .dublinCore) + channel.elements("modified", of: .terms)
      + channel.own("updated")
    self.init(
      title: channel.titles.line,
      link: channel.own("link").link(base: base) ?? links.first("alternate"),
      summary: channel.descriptions.line,
      authors: channel.authors(
        channel.own("managingEditor") + channel.own("author"),
        [channel.elements("owner", of: .podcast), channel.own("webMaster")], base: base),
      updated: dates.date, items: items.map { Item(rss: $0, base: $0.base(base)) },
      nextPage: links.next(in: document), categories: channel.categories, links: links)
  }
}

extension Feed.Item {
  /// Reads an item. All of its parts are optional.
  fileprivate init(rss item: XMLTree.Element, base: URL?) {
    let guid = item.own("guid").first
    let links = item.links(base: base)
    let summary =
      item.descriptions.text.map { Feed.Text(html: $0) }
      ?? item.elements("summary", of: .atom).lazy.compactMap { $0.atomText() }.first
      ?? item.mediaDescription
    self.init(
      id: guid?.trimmedText ?? item.value("rdf:about") ?? item.own("id").text,
      title: item.titles.line, link: Self.link(of: item, guid: guid, links, base: base),
      authors: item.authors(item.own("author"), base: base),
      published: item.publishingDates.date, updated: item.changeDates.date,
      content: item.contents ?? summary, summary: summary,
      enclosures: Self.enclosures(of: item, links, base: base),
      categories: item.categories, links: links)
  }

  /// Returns the link, or otherwise an Atom link, or otherwise the guid if it is a permalink.
  private static func link(
    of item: XMLTree.Element, guid: XMLTree.Element?, _ links: [Feed.Link], base: URL?
  ) -> URL? {
    let isPermanent = guid?.attribute("isPermaLink")?.lowercased() != "false"
    let permanent = guid?.trimmedText.flatMap { isPermanent && $0.hasPrefix("http") ? $0 : nil }
    return item.own("link").link(base: base) ?? links.first("alternate")
      ?? .link(permanent, base: base)
  }

  /// Returns the enclosures, the content of Media RSS (alone or in groups) and Atom's enclosures,
  /// each URL once.
  private static func enclosures(
    of item: XMLTree.Element, _ links: [Feed.Link], base: URL?
  ) -> [Feed.Enclosure] {
    let own = (item.own("enclosure") + item.media("content")).compactMap { element in
      URL.link(element.value("url"), base: base).map { url in
        let length = element.value("length") ?? element.value("fileSize")
        return Feed.Enclosure(
          url: url, mediaType: element.value("type"), length: length.flatMap { Int($0) })
      }
    }
    var known: Set<URL> = []
    return (own + links.enclosures).filter { known.insert($0.url).inserted }
  }
}

extension XMLTree.Element {
  /// The Atom links. Some documents omit their namespace.
  fileprivate func links(base: URL?) -> [Feed.Link] {
    (elements("link", of: .atom) + own("link").filter { $0.value("href") != nil })
      .links(base: base)
  }

  fileprivate var isChannel: Bool { name.local.lowercased() == "channel" }

  /// The items of a channel, directly inside it or in its list.
  fileprivate var channelItems: [XMLTree.Element] {
    own("item") + own("items").flatMap { $0.own("item") }
  }

  fileprivate var categories: [String] {
    own("category").lines + elements("subject", of: .dublinCore).lines + podcastCategories
      + media("category").lines
  }

  fileprivate var titles: [XMLTree.Element] {
    own("title") + elements("title", of: .dublinCore) + media("title")
  }

  fileprivate var descriptions: [XMLTree.Element] {
    own("description") + elements("description", of: .dublinCore)
      + elements("summary", of: .podcast) + elements("subtitle", of: .podcast) + own("summary")
  }

  fileprivate var publishingDates: [XMLTree.Element] {
    own("pubDate") + elements("date", of: .dublinCore) + elements("issued", of: .terms)
      + elements("published", of: .atom) + own("published")
  }

  fileprivate var changeDates: [XMLTree.Element] {
    elements("modified", of: .terms) + elements("updated", of: .atom) + own("updated")
  }

  /// The whole text of an item: escaped HTML, content in Atom's form, or XHTML elements, whose
  /// namespace some documents omit.
  fileprivate var contents: Feed.Text? {
    let bodies = own("body")
    let markup =
      elements("payload", of: .payload) + elements("body", of: .xhtml) + elements("div", of: .xhtml)
      + bodies.filter { $0.elements.contains { _ in true } }
    let escaped = elements("encoded", of: .content) + own("fullitem")
    if let text = escaped.text { return Feed.Text(html: text) }
    let atom = elements("content", of: .atom).lazy.compactMap { $0.atomText(isContent: true) }
    return atom.first
      ?? (markup.lazy.compactMap(\.innerHTML).first ?? bodies.text).map { Feed.Text(html: $0) }
  }

  /// Returns the people of the first elements that name someone. `first` are elements to try before
  /// those of other vocabularies, and `last` are those to try last.
  fileprivate func authors(
    _ first: [XMLTree.Element], _ last: [[XMLTree.Element]] = [], base: URL?
  ) -> [Feed.Person] {
    let lists = [
      first, elements("creator", of: .dublinCore), elements("author", of: .dublinCore),
      elements("author", of: .podcast), elements("author", of: .atom),
    ]
    return (lists + last).lazy.map { $0.people(base: base) }.first { !$0.isEmpty } ?? []
  }
}

extension [XMLTree.Element] {
  /// The people, each in Atom's form, with elements for the name and the address, or in RSS's form.
  fileprivate func people(base: URL?) -> [Feed.Person] {
    flatMap { element in
      let persons = [element].persons(base: base)
      return persons.isEmpty ? [Feed.Person(mailbox: element.text)].compactMap(\.self) : persons
    }
  }
}

extension Feed.Person {
  /// Reads a person in RSS's form, `mail@example.org (Name)`, or with both in the other order, or
  /// only one of them; `nil` if there is neither.
  fileprivate init?(mailbox text: String) {
    let name: String?
    let email: String?
    if let (before, address) = Self.parts(of: text, "<", ">"), Self.isAddress(address) {
      (name, email) = (PlainText.line(ofHTML: before), address)
    } else if let line = PlainText.line(ofHTML: text) {
      (name, email) = Self.nameAndAddress(in: line)
    } else {
      return nil
    }
    self.init(name: name, email: email)
  }

  /// Returns the name and the address in a text on one line.
  private static func nameAndAddress(in line: String) -> (name: String?, email: String?) {
    if isAddress(line) { return (nil, line) }
    guard let (before, inner) = parts(of: line, "(", ")") else { return (line, nil) }
    if isAddress(before) { return (inner, before) }
    return isAddress(inner) ? (before, inner) : (line, nil)
  }

  /// Returns the parts before and inside the brackets at the end of a text; `nil` if either is
  /// empty.
  private static func parts(
    of text: String, _ opening: Character, _ closing: Character
  ) -> (before: String, inner: String)? {
    guard let text = text.trimmed, text.last == closing, let start = text.lastIndex(of: opening),
      let before = String(text[..<start]).trimmed,
      let inner = String(text[start...].dropFirst().dropLast()).trimmed
    else { return nil }
    return (before, inner)
  }

  private static func isAddress(_ text: String) -> Bool {
    text.includes("@") && text.first != "@" && text.last != "@"
      && !text.contains { $0.isWhitespace }
  }
}
