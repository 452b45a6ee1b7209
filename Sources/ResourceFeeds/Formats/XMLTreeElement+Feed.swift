internal import Foundation
internal import ResourcePrimitives
internal import ResourceXML

/// A vocabulary whose elements occur in feeds.
struct FeedModule: Sendable {
  /// The usual prefix, which some documents use without declaring it.
  let prefix: String

  /// The namespaces of the vocabulary's versions.
  let namespaces: Set<String>

  static let dublinCore = FeedModule(
    prefix: "dc",
    namespaces: ["http://purl.org/dc/elements/1.1/", "http://purl.org/dc/elements/1.0/"])

  static let terms = FeedModule(prefix: "dcterms", namespaces: ["http://purl.org/dc/terms/"])

  static let content = FeedModule(
    prefix: "content", namespaces: ["http://purl.org/rss/1.0/modules/content/"])

  static let atom = FeedModule(
    prefix: "atom", namespaces: ["http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"])

  static let podcast = FeedModule(
    prefix: "itunes", namespaces: ["http://www.itunes.com/dtds/podcast-1.0.dtd"])

  static let media = FeedModule(
    prefix: "media",
    namespaces: ["http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss"])

  /// RSS 1.1's module for whole texts.
  static let payload = FeedModule(
    prefix: "p", namespaces: ["http://purl.org/net/rss1.1/payload#"])

  static let xhtml = FeedModule(prefix: "xhtml", namespaces: ["http://www.w3.org/1999/xhtml"])

  /// Returns whether a namespace means this vocabulary. Publishers change its case, write `https`,
  /// or omit the trailing slash.
  fileprivate func isNamed(by namespace: String) -> Bool {
    // Many elements may share a namespace that is as long as the document, so long ones aren't
    // compared.
    guard namespace.utf8.count <= 100 else { return false }
    return namespaces.contains { $0 == namespace || Self.plain($0) == Self.plain(namespace) }
  }

  private static func plain(_ namespace: String) -> Substring {
    let text = namespace.lowercased()
    let name = text.hasPrefix("https://") ? text.dropFirst(8) : text.dropFirst(7)
    return name.hasSuffix("/") ? name.dropLast() : name
  }
}

extension XMLTree.Element {
  /// Returns the child elements with a name, ignoring case, in this element's own vocabulary. A
  /// `media:title` isn't a `title`.
  func own(_ name: String) -> [XMLTree.Element] {
    elements.filter { $0.name.local.isLike(name) && $0.hasNamespace(of: self) }
  }

  /// Returns the child elements with a name in another vocabulary.
  func elements(_ name: String, of module: FeedModule) -> [XMLTree.Element] {
    elements.filter { $0.isNamed(name, of: module) }
  }

  /// Returns the elements of Media RSS with a name, including those in groups.
  func media(_ name: String) -> [XMLTree.Element] {
    ([self] + elements("group", of: .media)).flatMap { $0.elements(name, of: .media) }
  }

  /// The podcast categories of this element, including nested ones.
  var podcastCategories: [String] {
    elements("category", of: .podcast).flatMap { category in
      [category.value("text").flatMap { PlainText.line($0) }].compactMap(\.self)
        + category.elements("category", of: .podcast)
        .compactMap { $0.value("text").flatMap { PlainText.line($0) } }
    }
  }

  /// The description of Media RSS, which is plain unless its type is HTML.
  var mediaDescription: Feed.Text? {
    media("description").lazy.compactMap { element in
      element.trimmedText.map { text in
        element.value("type")?.lowercased() == "html"
          ? Feed.Text(html: text) : Feed.Text(plain: text)
      }
    }
    .first
  }

  private func isNamed(_ name: String, of module: FeedModule) -> Bool {
    guard let namespace = self.name.namespace else {
      return self.name.qualified == "\(module.prefix):\(name)"
    }
    return self.name.local == name && module.isNamed(by: namespace)
  }

  /// The text without surrounding white space; `nil` if nothing is left.
  var trimmedText: String? { text.trimmed }

  /// Returns the value of an attribute; `nil` if it is missing or empty.
  func value(_ attribute: String) -> String? {
    self.attribute(attribute).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the URL against which relative links in this element are resolved (XML Base).
  func base(_ base: URL?) -> URL? {
    URL.link(attribute("xml:base"), base: base)?.ifShort ?? base
  }
}

extension Sequence<XMLTree.Element> {
  /// The first non-empty text.
  var text: String? { lazy.compactMap(\.trimmedText).first }

  /// The first non-empty text on one line, whether it is plain or HTML.
  var line: String? { lazy.compactMap { PlainText.line(ofHTML: $0.text) }.first }

  /// All non-empty texts, each on one line.
  var lines: [String] { compactMap { PlainText.line(ofHTML: $0.text) } }

  /// Returns the first text that is a link.
  func link(base: URL?) -> URL? {
    lazy.compactMap { URL.link($0.trimmedText, base: base) }.first
  }

  /// The first date that can be read.
  var date: Date? { lazy.compactMap { FeedDate.parse($0.text) }.first }

  /// Returns the persons of these Atom elements (RFC 4287 section 3.2) without empty ones. Atom 0.3
  /// has `url` instead of `uri`, and its drafts had `homepage`.
  func persons(base: URL?) -> [Feed.Person] {
    map { element in
      Feed.Person(
        name: element.own("name").text.flatMap { PlainText.line($0) },
        email: element.own("email").text.flatMap { PlainText.line($0) },
        url: .link(
          (element.own("uri") + element.own("url") + element.own("homepage")).text,
          base: element.base(base)))
    }
    .filter { $0.displayName != nil }
  }
}

extension XMLTree.Element {
  /// The content as HTML, without an enclosing `div` and surrounding white space; `nil` if nothing
  /// is left.
  ///
  /// The `div` isn't part of the content (RFC 4287 section 3.1.1.3).
  var innerHTML: String? {
    var html = ""
    let inner = elements.first { _ in true }
    let isWrapped = inner.map { $0.isNamed("div", of: .xhtml) } ?? false
    let isAlone = content.allSatisfy { content in
      if case .text(let text) = content { return text.trimmed == nil }
      return true
    }
    if let inner, isWrapped, isAlone, Array(elements).count == 1 {
      inner.writeContent(to: &html)
    } else {
      writeContent(to: &html)
    }
    return html.trimmed
  }

  private func writeContent(to html: inout String) {
    for content in content {
      switch content {
      case .text(let text): html += HTMLText.escaped(text)
      case .element(let element): element.write(to: &html)
      }
    }
  }

  private func write(to html: inout String) {
    html += "<" + name.local
    for (name, value) in attributes where !name.isDeclaration {
      html += " \(name.local)=\"\(HTMLText.escaped(value))\""
    }
    html += ">"
    guard !Self.void.contains(name.local) else { return }
    writeContent(to: &html)
    html += "</\(name.local)>"
  }

  /// The HTML elements without content and end tags.
  private static let void: Set = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
  ]
}

extension XMLName {
  /// Whether the attribute belongs to XML and not to HTML.
  fileprivate var isDeclaration: Bool {
    qualified == "xmlns" || qualified.hasPrefix("xmlns:") || qualified == "xml:base"
      || qualified == "xml:space"
  }
}

extension String {
  /// The text without surrounding white space; `nil` if nothing is left.
  var trimmed: String? {
    let text = trimmingWhitespace()
    return text.isEmpty ? nil : text
  }

  /// Returns whether a name is equal to this one, ignoring the case of ASCII letters.
  fileprivate func isLike(_ name: String) -> Bool {
    utf8.count == name.utf8.count && zip(utf8, name.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  /// The text without tabs and line breaks, as browsers read a URL (https://url.spec.whatwg.org).
  fileprivate var onOneLine: String {
    guard utf8.contains(where: { [0x09, 0x0A, 0x0D].contains($0) }) else { return self }
    return String(unicodeScalars.filter { !["\t", "\n", "\r"].contains($0) })
  }
}

extension URL {
  /// Returns the absolute `http` or `https` URL of a link in a document, possibly with white space
  /// around it. Relative links are ignored without a base. `nil` if there is no link, it is invalid
  /// or too long, or it has another scheme.
  static func link(_ text: String?, base: URL?) -> URL? {
    guard let text = text?.trimmed?.onOneLine, text.utf8.count <= lengthLimit,
      let url = URL(reference: text, from: base?.ifShort ?? URL(filePath: "/")),
      ["http", "https"].contains(url.scheme?.lowercased()), url.host()?.isEmpty == false
    else { return nil }
    return url
  }

  /// The maximum length of a link in bytes, which RFC 9110 section 4.1 recommends.
  private static let lengthLimit = 8000

  /// This URL if it is short enough to be the base of many others.
  fileprivate var ifShort: URL? { absoluteString.utf8.count <= Self.lengthLimit / 4 ? self : nil }

  /// Returns this URL if it has the origin of a document.
  func ofOrigin(of document: URL?) -> URL? {
    document.map { isSameOrigin(as: $0) } == true ? self : nil
  }
}
