import Foundation
import PromiseModule
import ResourceFeeds
import ResourceLoading
import Synchronization

/// A document that lists feeds.
struct FeedIndex: Sendable, Equatable {
  /// The feeds in the order of the document.
  var sources: [FeedSource]
  /// The URL of a note by the publisher of the list.
  var notice: URL?
}

extension FeedIndex {
  /// The document as it is written; its links may be relative.
  private struct Document: Decodable, Sendable {
    struct Entry: Decodable { let title, url: String }
    let notice: String?
    let feeds: [Entry]
  }

  /// Returns the index at a URL.
  static func resource(_ url: URL, timeout: Duration) -> Resource<FeedIndex> {
    var request = Request(url: url)
    request.options.timeout = timeout
    return Resource<Document>(json: request).map { document in
      let sources = document.feeds.compactMap { entry in
        URL(string: entry.url, relativeTo: url).map {
          FeedSource(name: PlainText.line(entry.title) ?? entry.url, url: $0.absoluteURL)
        }
      }
      let notice = document.notice.flatMap { URL(string: $0, relativeTo: url)?.absoluteURL }
      return FeedIndex(sources: sources, notice: notice)
    }
  }
}

/// A note by the publisher of a list of feeds, if it arrives in time.
///
/// By callback: nobody waits for the note, nothing follows from it, and if it hasn't arrived at the end it is left out.
final class Notice: Sendable {
  private let content = Mutex<String?>(nil)
  private let load = Mutex<Task<Void, Never>?>(nil)

  /// Starts to load the text at a URL, and returns at once.
  func start(_ url: URL, over loader: any Loader) {
    let task = loader.load(Resource.text(url), on: .inline) { [self] result in
      guard let text = try? result.get() else { return }
      content.withLock { $0 = PlainText.line(text) }
    }
    load.withLock { $0 = task }
  }

  /// Returns the text if it has arrived; otherwise cancels its load.
  func finish() -> String? {
    load.withLock { $0 }?.cancel()
    return content.withLock { $0 }
  }
}
