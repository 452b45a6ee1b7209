import Foundation
import ResourceFeeds
import ResourceStore

/// A feed in the library: a row of the database.
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
  var source: FeedSource { FeedSource(name: FeedSource(url).name(titled: title), url: url) }

  /// Returns whether the title or URL contains one of some texts, in any case; without texts it always does.
  func contains(anyOf texts: [String]) -> Bool {
    texts.isEmpty
      || texts.contains { text in
        [title, url.absoluteString].contains { $0?.localizedCaseInsensitiveContains(text) == true }
      }
  }

  /// Returns whether a text is the feed's URL or, in any case, its title.
  func isCalled(_ name: String) -> Bool {
    url.absoluteString == name || title?.lowercased() == name.lowercased()
  }
}

/// A feed to read.
struct FeedSource: Sendable, Equatable {
  /// The name until the feed's own title is known.
  var name: String
  var url: URL
}

extension FeedSource {
  /// A feed of which only the URL is known. Its name leaves out the parts that may be secret.
  init(_ url: URL) {
    let path = url.path()
    self.init(name: (url.host() ?? "") + (path == "/" ? "" : path), url: url)
  }

  /// Returns a title cut to what fits in a list, or the name if there is no title.
  func name(titled title: String?) -> String {
    title.flatMap { PlainText.line($0)?.truncated(to: 100) } ?? name
  }
}
