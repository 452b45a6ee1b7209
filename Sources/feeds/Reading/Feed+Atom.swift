import Foundation
import ResourceXML

extension Feed {
  /// The feed in a document of Atom 1.0 (RFC 4287) or 0.3.
  ///
  /// - Parameters:
  ///   - root: The element `feed`.
  ///   - base: Where the document came from; relative links start there or at an `xml:base`.
  init(atom root: XMLTree.Element, base: URL) {
    let base = root.base(base)
    let links = AtomLinks(root.own("link"), base: base)
    title = root.own("title").first?.construct.line
    link = links.first("alternate")
    summary = (root.own("subtitle") + root.own("tagline")).first?.construct.line
    authors = root.own("author").compactMap(\.person)
    updated = (root.own("updated") + root.own("modified")).date
    nextPage = links.first("next")
    items = root.own("entry").map { Item(atom: $0, base: $0.base(base)) }
    for index in items.indices where items[index].authors.isEmpty {
      items[index].authors = authors
    }
  }
}

extension Feed.Item {
  /// An entry; 0.3 called some of its parts otherwise.
  fileprivate init(atom entry: XMLTree.Element, base: URL) {
    let links = AtomLinks(entry.own("link"), base: base)
    id = entry.own("id").text
    title = entry.own("title").first?.construct.line
    link = links.first("alternate")
    authors = entry.own("author").compactMap(\.person)
    if authors.isEmpty { authors = entry.elements("creator", of: .dublinCore).lines }
    published =
      (entry.own("published") + entry.own("issued") + entry.own("created")).date
      ?? entry.elements("date", of: .dublinCore).date
    updated = (entry.own("updated") + entry.own("modified")).date
    summary = entry.own("summary").first?.construct.text
    content = entry.own("content").first?.construct.text ?? summary
    enclosures = links.enclosures
    categories = entry.own("category").compactMap { element in
      (element.value("label") ?? element.value("term") ?? element.trimmedText)
        .flatMap { PlainText.line($0) }
    }
    categories += entry.elements("subject", of: .dublinCore).lines
  }
}

extension XMLTree.Element {
  /// The text in an element that says what it is: plain, HTML, or elements of XHTML.
  fileprivate var construct: AtomText { AtomText(self) }

  /// The name of a person, or where there is none the address.
  fileprivate var person: String? {
    (own("name").text ?? own("email").text ?? own("uri").text).flatMap { PlainText.line($0) }
  }
}

/// A text construct or content (RFC 4287 sections 3.1 and 4.1.3).
private struct AtomText {
  /// As it is, without the white space around it.
  let text: String?

  private let isHTML: Bool

  init(_ element: XMLTree.Element) {
    let type = element.value("type")?.lowercased() ?? "text"
    let isBase64 = element.value("mode")?.lowercased() == "base64"
    text = isBase64 ? Self.decoded(element.text) : element.trimmedText
    isHTML = type.contains("html") && !type.contains("xhtml")
  }

  /// On one line, as text.
  var line: String? {
    text.flatMap { isHTML ? PlainText.line(ofHTML: $0) : PlainText.line($0) }
  }

  /// Atom 0.3 allowed it for any content.
  private static func decoded(_ text: String) -> String? {
    Data(base64Encoded: text, options: .ignoreUnknownCharacters)
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
