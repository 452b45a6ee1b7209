import Foundation
import PromiseModule
import ResourceFeeds
import ResourceLoading
import Synchronization

/// A document that lists feeds.
struct FeedIndex: Sendable, Equatable {
  /// The feeds in the order of the document.
  var sources: [Source]

  /// The URL of a note by whoever keeps the list.
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

/// A note by whoever keeps a list of feeds, if it arrives in time.
///
/// It is loaded by callback: nobody waits for it, no step follows from it, and what it has to say is either
/// there at the end or left out.
final class Notice: Sendable {
  private let content = Mutex<String?>(nil)
  private let load = Mutex<LoadTask?>(nil)

  /// Starts to load the text at a URL, and returns at once.
  func start(_ url: URL, over loader: any Loader) {
    let task = loader.load(Resource.text(url), on: .inline) { [self] result in
      guard let text = try? result.get() else { return }
      content.withLock { $0 = PlainText.line(text) }
    }
    load.withLock { $0 = task }
  }

  /// The text if it has arrived by now. If it hasn't, its load is given up.
  func finish() -> String? {
    load.withLock { $0 }?.cancel()
    return content.withLock { $0 }
  }
}
