import Foundation
import ResourceFeeds
import ResourceLoading
import ResourcePrimitives
import ResourceStore

/// A feed: a row of the database once it was read.
struct KeptFeed: StoredModel, Equatable {
  var url: URL
  /// The feed's own title and page, as of the last reading.
  var title: String?
  var link: URL?
  var added: Date
  /// The time of the last reading; `nil` if there was none.
  var read: Date?

  static let table = "feeds"
  static let keys = [ModelKey(KeptFeed.url)]

  static let url = Column(CodingKeys.url, \KeptFeed.url)
  static let added = Column(CodingKeys.added, \KeptFeed.added)
}

extension KeptFeed {
  /// The title cut to what fits in a list, else the URL without the parts that may be secret.
  var name: String {
    let path = url.path()
    return title.flatMap { PlainText.line($0)?.shortened(to: 99) }
      ?? (url.host() ?? "") + (path == "/" ? "" : path)
  }

  /// Returns whether a text is the feed's URL or, in any case, its title.
  func isCalled(_ name: String) -> Bool {
    url.absoluteString == name || title?.lowercased() == name.lowercased()
  }
}
