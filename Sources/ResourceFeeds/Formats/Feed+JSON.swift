internal import Foundation

/// A document of JSON Feed 1.0 or 1.1 (jsonfeed.org).
///
/// Only the list `items` is required. Any other member that is missing or broken is left out.
struct JSONFeed: Decodable {
  let title: String?
  let homePage: String?
  let description: String?
  let nextPage: String?
  let authors: [Author]
  let items: [Item]

  private enum CodingKeys: String, CodingKey {
    case title, description, authors, author, items
    case homePage = "home_page_url"
    case nextPage = "next_url"
  }

  /// - Throws: `DecodingError` if there is no list of items.
  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    items = try members.decode([Lenient<Item>].self, forKey: .items).compactMap(\.value)
    title = members.lenientText(.title)
    homePage = members.lenient(.homePage)
    description = members.lenient(.description)
    nextPage = members.lenient(.nextPage)
    authors = Author.all(in: members, .authors, .author)
  }
}

extension JSONFeed {
  /// An author: version 1.1 has a list of them, 1.0 had one.
  struct Author: Decodable {
    let name: String?
    let url: String?

    /// Returns the authors in either member.
    static func all<Key>(
      in members: KeyedDecodingContainer<Key>, _ list: Key, _ one: Key
    ) -> [Author] {
      let authors = members.lenientList(list, of: Author.self)
      return authors.isEmpty ? [members.lenient(one, as: Author.self)].compactMap(\.self) : authors
    }
  }

  struct Item: Decodable {
    let id, title, url, externalURL, html, text, summary, published, modified: String?
    let authors: [Author]
    let tags: [String]
    let attachments: [Attachment]

    private enum CodingKeys: String, CodingKey {
      case id, title, url, summary, authors, author, tags, attachments
      case externalURL = "external_url"
      case html = "content_html"
      case text = "content_text"
      case published = "date_published"
      case modified = "date_modified"
    }

    /// - Throws: `DecodingError` if it is no object.
    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      id = members.lenientText(.id)
      title = members.lenientText(.title)
      url = members.lenient(.url)
      externalURL = members.lenient(.externalURL)
      html = members.lenientText(.html)
      text = members.lenientText(.text)
      summary = members.lenientText(.summary)
      published = members.lenient(.published)
      modified = members.lenient(.modified)
      authors = Author.all(in: members, .authors, .author)
      tags = members.lenientList(.tags)
      attachments = members.lenientList(.attachments)
    }
  }

  struct Attachment: Decodable {
    let url: String
    let mediaType: String?
    let size: Int?

    private enum CodingKeys: String, CodingKey {
      case url
      case mediaType = "mime_type"
      case size = "size_in_bytes"
    }

    /// - Throws: `DecodingError` if there is no URL.
    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      url = try members.decode(String.self, forKey: .url)
      mediaType = members.lenient(.mediaType)
      size = members.lenient(.size)
    }
  }
}

// MARK: - Members that may be broken

/// A value that is `nil` if it is broken, so that the values around it can still be read.
private struct Lenient<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) {
    value = try? Value(from: decoder)
  }
}

/// A text, or a number in its place, as some feeds use for ids.
private struct LenientText: Decodable {
  let text: String

  /// - Throws: `DecodingError` if it is neither.
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Int.self) {
      text = String(number)
    } else {
      text = try container.decode(String.self)
    }
  }
}

extension KeyedDecodingContainer {
  /// Returns the value of a key, or `nil` if it is missing or of another type.
  fileprivate func lenient<Value: Decodable>(_ key: Key, as type: Value.Type = Value.self) -> Value?
  {
    (try? decodeIfPresent(Lenient<Value>.self, forKey: key))?.value
  }

  /// Returns the values of a list that can be read; empty if there is no list.
  fileprivate func lenientList<Value: Decodable>(_ key: Key, of type: Value.Type = Value.self)
    -> [Value]
  {
    lenient(key, as: [Lenient<Value>].self)?.compactMap(\.value) ?? []
  }

  /// Returns the text or number of a key if it isn't empty.
  fileprivate func lenientText(_ key: Key) -> String? {
    lenient(key, as: LenientText.self).flatMap { $0.text.isEmpty ? nil : $0.text }
  }
}

// MARK: - Conversion to a feed

extension Feed {
  /// Makes a feed from a document of JSON Feed.
  ///
  /// - Parameters:
  ///   - json: The document.
  ///   - document: The document's URL, against which relative links are resolved.
  init(_ json: JSONFeed, document: URL?) {
    self.init(
      title: json.title.flatMap { PlainText.line($0) }, link: .link(json.homePage, base: document),
      summary: json.description.flatMap { PlainText.line($0) },
      authors: json.authors.compactMap { Person($0, base: document) },
      nextPage: URL.link(json.nextPage, base: document)?.ofOrigin(of: document))
    let authors = authors.inheritable
    items = json.items.map { Item($0, base: document, feedAuthors: authors) }
  }
}

extension Feed.Item {
  fileprivate init(_ item: JSONFeed.Item, base: URL?, feedAuthors: [Feed.Person]) {
    let authors = item.authors.compactMap { Feed.Person($0, base: base) }
    let summary = item.summary.map { Feed.Text(plain: $0) }
    self.init(
      id: item.id, title: item.title.flatMap { PlainText.line($0) },
      link: .link(item.url, base: base) ?? .link(item.externalURL, base: base),
      authors: authors.isEmpty ? feedAuthors : authors,
      published: item.published.flatMap(FeedDate.parse),
      updated: item.modified.flatMap(FeedDate.parse),
      content: item.html.map { Feed.Text(html: $0) } ?? item.text.map { Feed.Text(plain: $0) }
        ?? summary,
      summary: summary, enclosures: item.attachments.compactMap { Feed.Enclosure($0, base: base) },
      categories: item.tags.compactMap { PlainText.line($0) })
  }
}

extension Feed.Person {
  fileprivate init?(_ author: JSONFeed.Author, base: URL?) {
    self.init(
      name: author.name.flatMap { PlainText.line($0) }, url: .link(author.url, base: base))
    if displayName == nil { return nil }
  }
}

extension Feed.Enclosure {
  fileprivate init?(_ attachment: JSONFeed.Attachment, base: URL?) {
    guard let url = URL.link(attachment.url, base: base) else { return nil }
    self.init(url: url, mediaType: attachment.mediaType, length: attachment.size)
  }
}
