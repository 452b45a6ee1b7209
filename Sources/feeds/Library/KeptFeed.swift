import Foundation
import ResourceFeeds
import ResourceStore

/// A feed that is remembered: a row of the database.
struct KeptFeed: StoredModel, Equatable {
  /// The URL of the feed; no two rows have the same.
  var url: URL

  /// The feed's name for itself, when it was read last.
  var title: String?

  /// The page that the feed belongs to.
  var link: URL?

  /// The time at which the feed was added.
  var added: Date

  /// The time of the last reading; `nil` if there was none.
  var read: Date?
}

extension KeptFeed {
  static let table = "feeds"
  static let keys = [ModelKey(KeptFeed.url)]

  static let url = Column(CodingKeys.url, \KeptFeed.url)
  static let added = Column(CodingKeys.added, \KeptFeed.added)

  /// The feed with its own name, as far as a list has room for it.
  var source: Source { Source(name: Source(url).name(titled: title), url: url) }
}

extension KeptFeed {
  /// Whether one of some texts is in its title or URL, whatever the case; any feed is named by no texts.
  func isNamed(by texts: [String]) -> Bool {
    texts.isEmpty
      || texts.contains { text in
        [title, url.absoluteString].contains { $0?.localizedCaseInsensitiveContains(text) == true }
      }
  }

  /// Returns whether a text is the feed's URL or, whatever the case, its title.
  func isCalled(_ name: String) -> Bool {
    url.absoluteString == name || title?.lowercased() == name.lowercased()
  }
}

extension [String] {
  /// The texts in quotation marks, with commas between.
  var quoted: String { map { "\"\(PlainText.visible($0))\"" }.joined(separator: ", ") }
}

extension [URL] {
  /// Each URL once, where it first stands.
  var unique: [URL] {
    var known: Set<URL> = []
    return filter { known.insert($0).inserted }
  }
}
