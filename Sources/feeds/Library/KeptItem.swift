import Foundation
import ResourceFeeds
import ResourceStore

/// An item that is remembered: a row of the database.
struct KeptItem: StoredModel, Equatable {
  /// The URL of the feed that has it.
  var feed: URL

  /// The identity among the items of the feed, see ``ItemIdentity``.
  var identity: String

  /// The title as plain text.
  var title: String?

  /// The page on which the item can be read.
  var link: URL?

  /// The names of the authors.
  var authors: [String]

  /// The date of publication.
  var published: Date?

  /// The date of the last change.
  var updated: Date?

  /// The fullest text there is, as HTML.
  var content: String?

  /// A short text, as HTML.
  var summary: String?

  /// Files that belong to it.
  var enclosures: [Feed.Enclosure]

  /// The categories or tags.
  var categories: [String]

  /// The time of the first reading.
  var seen: Date

  /// The 0-based position in the document then.
  var position: Int

  /// Where it stands among the others: its own date, but never later than when it was first read, so that a
  /// wrong date doesn't keep it on top for years. `nil` stands last.
  var rank: Date?

  /// The date of publication, else of the last change.
  var date: Date?
}

extension KeptItem {
  static let table = "items"
  static let keys = [ModelKey(KeptItem.feed, KeptItem.identity)]
  static let indices = [ModelKey(KeptItem.rank)]

  static let feed = Column(CodingKeys.feed, \KeptItem.feed)
  static let identity = Column(CodingKeys.identity, \KeptItem.identity)
  static let rank = Column(CodingKeys.rank, \KeptItem.rank)
  static let date = Column(CodingKeys.date, \KeptItem.date)
  static let position = Column(CodingKeys.position, \KeptItem.position)
}

extension KeptItem {
  /// An item as it was just read.
  ///
  /// - Parameters:
  ///   - now: When it was read.
  ///   - isFirst: Whether its feed was never read before. An item without a date that comes to a known feed
  ///     is as new as its first reading; what was there at the beginning may be of any age.
  init(
    _ item: Feed.Item, identity: String, feed: URL, position: Int, now: Date, isFirst: Bool
  ) {
    self.feed = feed
    self.identity = identity
    self.position = position
    title = item.title
    link = item.link
    authors = item.authors.compactMap(\.displayName)
    published = item.published
    updated = item.updated
    content = item.content?.html
    summary = item.summary?.html
    enclosures = item.enclosures
    categories = item.categories
    seen = now
    date = item.date
    rank = item.date.map { min($0, now) } ?? (isFirst ? nil : now)
  }

  /// This item, first read when another form of it was.
  func seen(like older: KeptItem) -> KeptItem {
    var item = self
    item.seen = older.seen
    item.position = older.position
    item.rank = date.map { min($0, older.seen) } ?? older.rank
    return item
  }

  /// The identity among the items of all feeds, which several feeds' items can share.
  var overallIdentity: String {
    ItemIdentity.isGlobal(identity) ? identity : "\(feed.absoluteString) \(identity)"
  }

  /// The date in the list: the item's own, else when the item turned up in a known feed.
  var listedDate: Date? { date ?? rank }
}

extension URL {
  /// This URL if it is one of `http` or `https`. A library that an older program wrote may have others.
  var shown: URL? { .link(absoluteString, base: nil) }
}

/// The choice of items that are listed.
struct ItemChoice: Equatable, Sendable {
  /// The URLs of the feeds; `nil` for all.
  var feeds: [URL]?

  /// The first moment that counts.
  var since: Date?

  /// The first moment that no longer counts.
  var until: Date?

  /// The number of items at most.
  var limit = 20
}

extension ItemChoice {
  /// The choice as rows of the database, as many as the limit allows.
  ///
  /// - Parameter offset: How many are left out at the beginning.
  func selection(offset: Int) -> Selection<KeptItem> {
    var condition = Condition<KeptItem>.all
    if let feeds { condition = condition && KeptItem.feed.isIn(feeds) }
    if let since { condition = condition && KeptItem.rank >= since }
    if let until { condition = condition && KeptItem.rank < until }
    let order = [
      KeptItem.rank.descending, KeptItem.date.descending, KeptItem.position.ascending,
      KeptItem.feed.ascending,
    ]
    return Selection(where: condition, order: order, limit: limit, offset: offset)
  }
}
