import Foundation
import ResourceFeeds
import ResourceStore

/// A feed: a row of the database once it was read.
struct KeptFeed: StoredModel, Equatable {
  var url: URL
  /// The feed's own title, as of the last reading.
  var title: String?
  var added: Date
  /// The time of the last reading; `nil` if there was none.
  var read: Date?

  static let table = "feeds"
  static let keys = [ModelKey(KeptFeed.url)]

  static let url = Column(CodingKeys.url, \KeptFeed.url)
  static let added = Column(CodingKeys.added, \KeptFeed.added)
}

extension KeptFeed {
  /// The title, or otherwise the URL without the parts that may be secret; short, and safe on a
  /// terminal.
  var name: String {
    let name = title.flatMap { PlainText.line($0) } ?? (url.host() ?? "") + url.path()
    return String(name.prefix(100))
  }
}
