import Foundation
import ResourceStore

/// A feed that is remembered: a row of the database.
struct KeptFeed: Model, Equatable {
  /// Where the feed is; no two rows have the same.
  var url: URL

  /// The feed's name for itself, when it was read last.
  var title: String?

  /// The page that the feed belongs to.
  var link: URL?

  /// When the feed was added.
  var added: Date

  /// When the feed was read last; `nil` if it never was.
  var read: Date?
}

extension KeptFeed {
  static let table = "feeds"
  static let keys = [ModelKey(KeptFeed.url)]

  static let url = Column(CodingKeys.url, \KeptFeed.url)
  static let added = Column(CodingKeys.added, \KeptFeed.added)

  /// What is to be read.
  var source: Source {
    Source(name: title.flatMap { PlainText.line($0) } ?? Source(url).name, url: url)
  }
}
