import Foundation
import ResourceLoading

/// A document that lists feeds.
struct FeedIndex: Sendable, Equatable {
  /// The feeds in the order of the document.
  var sources: [Source]

  /// Where there is a word from whoever keeps the list.
  var notice: URL?
}

extension FeedIndex {
  /// The document as it is written; its links may be relative.
  private struct Document: Decodable, Sendable {
    struct Entry: Decodable { let title, url: String }
    let notice: String?
    let feeds: [Entry]
  }

  /// The index at a URL.
  ///
  /// - Parameter timeout: How long the load may take.
  static func resource(_ url: URL, timeout: Duration) -> Resource<FeedIndex> {
    var request = Request(url: url)
    request.options.timeout = timeout
    return Resource<Document>(json: request).map { document in
      let sources = document.feeds.compactMap { entry in
        URL.link(entry.url, base: url).map {
          Source(name: PlainText.line(entry.title) ?? entry.url, url: $0)
        }
      }
      return FeedIndex(sources: sources, notice: .link(document.notice, base: url))
    }
  }
}
