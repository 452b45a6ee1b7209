import Foundation

/// A document of JSON Feed 1.0 or 1.1 (jsonfeed.org).
///
/// Only `items` has to be there, as a list: without it the document is no feed. Any other member that is
/// missing or broken is lost alone.
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
  /// Who writes: version 1.1 has a list, 1.0 had one.
  struct Author: Decodable {
    let name: String?
    let url: String?

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

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      url = try members.decode(String.self, forKey: .url)
      mediaType = members.lenient(.mediaType)
      size = members.lenient(.size)
    }
  }
}
