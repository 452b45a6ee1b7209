import Foundation
import ResourceFeeds
import ResourceStore

/// An item in the library: a row of the database.
struct KeptItem: StoredModel, Equatable {
  /// The URL of its feed.
  var feed: URL
  /// The identity among the items of the feed, see `Feed.ItemIdentity`.
  var identity: String
  var title: String?
  var link: URL?
  var authors: [String]
  var published: Date?
  var updated: Date?
  /// The fullest text there is, and a short one, as HTML.
  var content: String?
  var summary: String?
  var enclosures: [Feed.Enclosure]
  var categories: [String]
  /// The time of the first reading, and the 0-based position in the document then.
  var seen: Date
  var position: Int
  /// The date by which items are sorted: the item's own, but never later than the first reading, so
  /// that a wrong date doesn't keep it on top for years. `nil` comes last.
  var rank: Date?
  /// The date of publication, else of the last change.
  var date: Date?

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
  /// Creates the row of an item that was just read.
  ///
  /// - Parameter isFirst: Whether the feed was never read before. An undated item that comes to a
  ///   known feed is as new as its first reading; the items of a first reading may be of any age.
  init(
    _ item: Feed.Item, identity: String, feed: URL, position: Int, now: Date, isFirst: Bool
  ) {
    self.init(
      feed: feed, identity: identity, title: item.title, link: item.link,
      authors: item.authors.compactMap(\.displayName), published: item.published,
      updated: item.updated, content: item.content?.html, summary: item.summary?.html,
      enclosures: item.enclosures, categories: item.categories, seen: now, position: position,
      rank: item.date.map { min($0, now) } ?? (isFirst ? nil : now), date: item.date)
  }

  /// Returns this item with the first reading of an older form of it.
  func seen(like older: KeptItem) -> KeptItem {
    var item = self
    item.seen = older.seen
    item.position = older.position
    item.rank = date.map { min($0, older.seen) } ?? older.rank
    return item
  }

  /// The identity among the items of all feeds, several of which may have the item.
  var overallIdentity: String {
    let isGlobal = Feed.ItemIdentity(rawValue: identity).isGlobal
    return isGlobal ? identity : "\(feed.absoluteString) \(identity)"
  }

  /// The date to show: the item's own, else that of the first reading from a known feed.
  var listedDate: Date? { date ?? rank }
}

extension Selection<KeptItem> {
  /// The newest items of some feeds; of all for `nil`.
  static func newest(of feeds: [URL]? = nil, limit: Int = 20) -> Selection {
    let condition = feeds.map { KeptItem.feed.isIn($0) } ?? .all
    let order = [
      KeptItem.rank.descending, KeptItem.date.descending, KeptItem.position.ascending,
      KeptItem.feed.ascending,
    ]
    return Selection(where: condition, order: order, limit: limit)
  }
}
