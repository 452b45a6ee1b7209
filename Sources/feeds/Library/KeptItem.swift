import Foundation
import ResourceFeeds
import ResourceStore

/// An item in the library: a row of the database.
struct KeptItem: StoredModel, Equatable {
  var feed: URL
  /// The identity among the items of the feed, see `Feed.ItemIdentity`.
  var identity: String
  var title: String?
  var link: URL?
  /// The shortest text that the feed has, without markup.
  var summary: String?
  /// The date of publication, or otherwise of the last change.
  var date: Date?
  /// The time of the first reading, and the 0-based position in the document then.
  var firstRead: Date
  var position: Int
  /// The date by which items are sorted: the item's own, but never later than the first reading, so
  /// that a wrong date doesn't keep it on top for years. An item without a date counts from its
  /// first reading.
  var rank: Date

  static let table = "items"
  static let keys = [ModelKey(KeptItem.feed, KeptItem.identity)]
  static let indices = [ModelKey(KeptItem.rank)]

  static let feed = Column(CodingKeys.feed, \KeptItem.feed)
  static let identity = Column(CodingKeys.identity, \KeptItem.identity)
  static let firstRead = Column(CodingKeys.firstRead, \KeptItem.firstRead)
  static let position = Column(CodingKeys.position, \KeptItem.position)
  static let rank = Column(CodingKeys.rank, \KeptItem.rank)
}

extension KeptItem {
  /// Creates the row of an item that was just read.
  init(_ item: Feed.Item, _ identity: Feed.ItemIdentity, of feed: URL, at position: Int, now: Date)
  {
    self.init(
      feed: feed, identity: identity.rawValue, title: item.title, link: item.link,
      summary: (item.summary ?? item.content)?.plainText, date: item.date, firstRead: now,
      position: position, rank: min(item.date ?? now, now))
  }

  /// The identity among the items of all feeds, several of which may have the item.
  var overallIdentity: String {
    let isGlobal = Feed.ItemIdentity(rawValue: identity).isGlobal
    return isGlobal ? identity : "\(feed.absoluteString) \(identity)"
  }

  /// The title, or otherwise the beginning of the text; on one line, and safe on a terminal.
  var heading: String {
    let text = title.flatMap { PlainText.line($0) } ?? summary.flatMap { PlainText.line($0) }
    return text.map { String($0.prefix(300)) } ?? "(without a title)"
  }
}
