internal import Foundation
import ResourceJSON
internal import ResourceLoading

extension Feed {
  /// Reads the feed in a document of JSON Feed 1.0 or 1.1 (jsonfeed.org); `nil` if there is no list
  /// of items. Any other member is ignored if it has the wrong type.
  init?(json: JSONValue, document: URL?) {
    guard case .array(let elements) = json["items"] else { return nil }
    self.init(
      title: json.line("title"), link: .link(json["home_page_url"]?.string, base: document),
      summary: json.line("description"), authors: json.authors(base: document),
      nextPage: URL.link(json["next_url"]?.string, base: document)?.ofOrigin(of: document))
    let authors = authors.inheritable
    items = elements.compactMap { Item(json: $0, base: document, feedAuthors: authors) }
  }
}

extension Feed.Item {
  /// - Returns: `nil` for a value that isn't an object.
  fileprivate init?(json item: JSONValue, base: URL?, feedAuthors: [Feed.Person]) {
    guard case .object = item else { return nil }
    let authors = item.authors(base: base)
    let summary = item.text("summary").map { Feed.Text(plain: $0) }
    self.init(
      id: item.text("id"), title: item.line("title"),
      link: .link(item["url"]?.string, base: base)
        ?? .link(item["external_url"]?.string, base: base),
      authors: authors.isEmpty ? feedAuthors : authors,
      published: item["date_published"]?.string.flatMap(FeedDate.parse),
      updated: item["date_modified"]?.string.flatMap(FeedDate.parse),
      content: item.text("content_html").map { Feed.Text(html: $0) }
        ?? item.text("content_text").map { Feed.Text(plain: $0) } ?? summary,
      summary: summary,
      enclosures: item.list("attachments").compactMap { Feed.Enclosure(json: $0, base: base) },
      categories: item.list("tags").compactMap { $0.string.flatMap { PlainText.line($0) } })
  }
}

extension Feed.Person {
  /// - Returns: `nil` if there is neither a name nor a URL.
  fileprivate init?(json author: JSONValue, base: URL?) {
    self.init(name: author.line("name"), url: .link(author["url"]?.string, base: base))
    if displayName == nil { return nil }
  }
}

extension Feed.Enclosure {
  /// - Returns: `nil` if there is no URL.
  fileprivate init?(json attachment: JSONValue, base: URL?) {
    guard let url = URL.link(attachment["url"]?.string, base: base) else { return nil }
    self.init(
      url: url, mediaType: attachment["mime_type"]?.string,
      length: attachment["size_in_bytes"]?.double.flatMap { Int(exactly: $0) })
  }
}

extension JSONValue {
  fileprivate func list(_ name: String) -> [JSONValue] {
    if case .array(let elements) = self[name] { elements } else { [] }
  }

  /// Returns a non-empty string, or a number, which some feeds use as an id.
  fileprivate func text(_ name: String) -> String? {
    switch self[name] {
    case .string(let text): text.isEmpty ? nil : text
    case .number(let number): number.integer(Int64.self).map { String($0) }
    default: nil
    }
  }

  fileprivate func line(_ name: String) -> String? { text(name).flatMap { PlainText.line($0) } }

  /// Returns the authors. Version 1.1 has a list, and version 1.0 a single one.
  fileprivate func authors(base: URL?) -> [Feed.Person] {
    let authors = list("authors").compactMap { Feed.Person(json: $0, base: base) }
    guard authors.isEmpty, let author = self["author"] else { return authors }
    return [Feed.Person(json: author, base: base)].compactMap(\.self)
  }
}
