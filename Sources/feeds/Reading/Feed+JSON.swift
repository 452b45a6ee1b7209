import Foundation

extension Feed {
  /// The feed in a document of JSON Feed.
  ///
  /// - Parameter base: Where the document came from; relative links start there.
  init(_ document: JSONFeed, base: URL) {
    title = document.title.flatMap { PlainText.line($0) }
    link = .link(document.homePage, base: base)
    summary = document.description.flatMap { PlainText.line($0) }
    authors = document.authors.compactMap(\.shown)
    items = document.items.map { Item($0, base: base) }
    nextPage = .link(document.nextPage, base: base)
  }
}

extension Feed.Item {
  fileprivate init(_ item: JSONFeed.Item, base: URL) {
    id = item.id
    title = item.title.flatMap { PlainText.line($0) }
    link = .link(item.url, base: base) ?? .link(item.externalURL, base: base)
    authors = item.authors.compactMap(\.shown)
    published = item.published.flatMap(FeedDate.parse)
    updated = item.modified.flatMap(FeedDate.parse)
    content = item.html ?? item.text ?? item.summary
    summary = item.summary
    categories = item.tags.compactMap { PlainText.line($0) }
    enclosures = item.attachments.compactMap { attachment in
      URL.link(attachment.url, base: base).map {
        Feed.Enclosure(url: $0, mediaType: attachment.mediaType, length: attachment.size)
      }
    }
  }
}

extension JSONFeed.Author {
  /// The name, or where there is none the address.
  fileprivate var shown: String? { (name ?? url).flatMap { PlainText.line($0) } }
}
