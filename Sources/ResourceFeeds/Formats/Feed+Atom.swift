internal import Foundation
import ResourcePrimitives
internal import ResourceXML

extension Feed {
  /// Reads the feed in a document of Atom 1.0 (RFC 4287) or 0.3; a single `entry` is a feed of one
  /// item. Relative links are resolved against the document's URL unless there is an `xml:base`.
  init(atom root: XMLTree.Element, document: URL?) {
    let base = root.base(document)
    let isEntry = root.name.local.lowercased() == "entry"
    // The feed that an entry was taken from (RFC 4287 section 4.2.11).
    let feed = isEntry ? root.own("source").first : root
    let links = feed?.own("link").links(base: feed?.base(base) ?? base) ?? []
    self.init(
      title: feed?.own("title").plainText, link: links.first("alternate"),
      summary: feed.flatMap { ($0.own("subtitle") + $0.own("tagline")).plainText },
      authors: feed?.own("author").persons(base: base) ?? [],
      updated: feed.flatMap { ($0.own("updated") + $0.own("modified")).date },
      nextPage: links.next(in: document), categories: feed?.atomCategories ?? [], links: links)
    let authors = authors.inheritable
    items = (isEntry ? [root] : root.own("entry"))
      .map { Item(atom: $0, base: $0.base(base), feedAuthors: authors) }
  }
}

extension Feed.Item {
  /// Reads an entry. Atom 0.3 has other names for some elements.
  fileprivate init(atom entry: XMLTree.Element, base: URL?, feedAuthors: [Feed.Person]) {
    let links = entry.own("link").links(base: base)
    let dates = entry.own("published") + entry.own("issued") + entry.own("created")
    let summary =
      entry.own("summary").lazy.compactMap { $0.atomText() }.first ?? entry.mediaDescription
    self.init(
      id: entry.own("id").text, title: entry.own("title").plainText ?? entry.media("title").line,
      link: links.first("alternate"),
      authors: Self.authors(of: entry, base: base) ?? feedAuthors,
      published: dates.date ?? entry.elements("date", of: .dublinCore).date,
      updated: (entry.own("updated") + entry.own("modified")).date,
      content: entry.own("content").lazy.compactMap { $0.atomText(isContent: true) }.first
        ?? summary,
      summary: summary, enclosures: links.enclosures, categories: entry.atomCategories, links: links
    )
  }

  /// Returns the authors of an entry, or otherwise those of the feed from which it was copied.
  private static func authors(of entry: XMLTree.Element, base: URL?) -> [Feed.Person]? {
    let source = entry.own("source").first
    let lists = [
      entry.own("author").persons(base: base),
      entry.elements("creator", of: .dublinCore).lines.map { Feed.Person(name: $0) },
      source?.own("author").persons(base: source?.base(base)) ?? [],
    ]
    return lists.first { !$0.isEmpty }
  }
}

extension [XMLTree.Element] {
  /// Returns the links that lead to an `http` or `https` URL, in the order of the document.
  func links(base: URL?) -> [Feed.Link] {
    compactMap { element in
      let text = element.value("href") ?? element.trimmedText
      guard let url = URL.link(text, base: element.base(base)) else { return nil }
      return Feed.Link(
        url: url, relation: Self.relation(element.value("rel")),
        mediaType: element.value("type"), length: element.value("length").flatMap { Int($0) })
    }
  }

  /// Returns the short name of a relation. RFC 4287 section 4.2.7.2 also allows an IRI.
  private static func relation(_ text: String?) -> String {
    guard let text = text?.trimmed?.lowercased() else { return "alternate" }
    let registry = "http://www.iana.org/assignments/relation/"
    return text.hasPrefix(registry) ? String(text.dropFirst(registry.count)) : text
  }
}

extension [Feed.Link] {
  /// Returns the first link with a relation, preferably one to a web page.
  func first(_ relation: String) -> URL? {
    let fitting = filter { $0.relation == relation }
    let page = fitting.first { $0.mediaType?.includes("html") ?? true }
    return (page ?? fitting.first)?.url
  }

  /// Returns the URL of older items, if it has the document's origin.
  func next(in document: URL?) -> URL? { first("next")?.ofOrigin(of: document) }

  /// The files that belong to the entry.
  var enclosures: [Feed.Enclosure] {
    filter { $0.relation == "enclosure" }.map {
      Feed.Enclosure(url: $0.url, mediaType: $0.mediaType, length: $0.length)
    }
  }
}

extension Sequence<XMLTree.Element> {
  /// The first non-empty text construct as plain text.
  fileprivate var plainText: String? { lazy.compactMap { $0.atomText()?.plainText }.first }
}

extension XMLTree.Element {
  /// The categories of an Atom feed or entry.
  fileprivate var atomCategories: [String] {
    let own = own("category").compactMap { element in
      (element.value("label") ?? element.value("term") ?? element.trimmedText)
        .flatMap { PlainText.line($0) }
    }
    return own + elements("subject", of: .dublinCore).lines + podcastCategories
      + media("category").lines
  }

  /// Returns the text of a text construct or of content (RFC 4287 sections 3.1 and 4.1.3); `nil` if
  /// it is empty. In content, a media type other than text and XML means base64; a text construct
  /// with such a type is text.
  func atomText(isContent: Bool = false) -> Feed.Text? {
    let type = value("type")?.lowercased() ?? "text"
    let mode = value("mode")?.lowercased()
    if mode == "base64" { return decodedText(isHTML: type.includes("html")) }
    if type.includes("html") {
      let isXHTML = type.includes("xhtml") && mode != "escaped"
      let isMarkup = isXHTML || elements.contains { _ in true }
      return (isMarkup ? innerHTML : trimmedText).map { Feed.Text(html: $0) }
    }
    let isXML = type.hasSuffix("/xml") || type.hasSuffix("+xml")
    guard isXML || type.hasPrefix("text/") || !type.includes("/") || !isContent else {
      return decodedText(isHTML: false)
    }
    return trimmedText.map { Feed.Text(plain: $0) }
  }

  /// The text of base64, which Atom uses for media types other than text and XML. Text that isn't
  /// base64 is used unchanged; bytes that aren't text are ignored.
  private func decodedText(isHTML: Bool) -> Feed.Text? {
    guard let text = trimmedText else { return nil }
    let digits = text.filter { !$0.isWhitespace }
    guard let data = Data(base64Encoded: digits) else {
      return isHTML ? Feed.Text(html: text) : Feed.Text(plain: text)
    }
    guard let decoded = String(validating: data, as: UTF8.self), !decoded.includes("\0"),
      !decoded.isEmpty
    else { return nil }
    return isHTML ? Feed.Text(html: decoded) : Feed.Text(plain: decoded)
  }
}
