import Foundation

/// A feed, whatever it was written in. What a document doesn't say, or says in a broken way, is `nil` or
/// empty.
struct Feed: Sendable, Equatable {
  /// The title as plain text.
  var title: String?

  /// The page that the feed belongs to.
  var link: URL?

  /// What it is about, as plain text.
  var summary: String?

  /// Who writes it.
  var authors: [String] = []

  /// When it last changed.
  var updated: Date?

  /// The items in the order of the document.
  var items: [Item] = []

  /// Where older items are (`next_url` of JSON Feed, `rel="next"` of RFC 5005).
  var nextPage: URL?
}

extension Feed {
  /// One entry of a feed.
  struct Item: Sendable, Equatable {
    /// What tells it from the others of its feed.
    var id: String?

    /// The title as plain text.
    var title: String?

    /// Where it can be read.
    var link: URL?

    /// Who wrote it.
    var authors: [String] = []

    /// When it was published.
    var published: Date?

    /// When it last changed.
    var updated: Date?

    /// The fullest form there is, HTML as a rule.
    var content: String?

    /// A short form.
    var summary: String?

    /// Files that belong to it.
    var enclosures: [Enclosure] = []

    /// What it is about, in words.
    var categories: [String] = []
  }

  /// A file that belongs to an item: an episode, a picture.
  struct Enclosure: Sendable, Equatable, Codable {
    /// Where it is.
    var url: URL

    /// What it is, such as `audio/mpeg`.
    var mediaType: String?

    /// How large it is in bytes.
    var length: Int?
  }
}

extension Feed.Item {
  /// When it counts as new: when it was published, else when it changed.
  var date: Date? { published ?? updated }
}

extension Feed {
  /// This feed with the items of its next page behind its own, going on where that one does.
  ///
  /// Items whose id is there already are left out, since items move from page to page.
  func followed(by page: Feed) -> Feed {
    let known = Set(items.compactMap(\.id))
    var feed = self
    feed.items += page.items.filter { item in item.id.map { !known.contains($0) } ?? true }
    feed.nextPage = page.nextPage
    return feed
  }
}
