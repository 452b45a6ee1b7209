import Foundation
import ResourceFeeds
import ResourceJSON
import ResourceLoading

/// The document that `--json` writes.
struct Report: Encodable {
  /// Whether nothing could be reached, and everything is listed as it is kept.
  let offline: Bool
  let feeds: [Entry]
  let items: [KeptItem]

  struct Entry: Encodable {
    let url: URL
    let title: String?
    /// The time of the last reading.
    let read: Date?
    let new, changed: Int
    let error: String?
  }
}

extension Report {
  init(_ results: [FeedResult], _ items: [KeptItem]) {
    offline = results.isOffline
    feeds = results.map { result in
      Entry(
        url: result.feed.url, title: result.feed.title, read: result.feed.read,
        new: result.change?.new ?? 0, changed: result.change?.changed ?? 0,
        error: result.failure?.description)
    }
    self.items = items
  }

  /// The document, safe on a terminal, with a line break at the end.
  func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    let data = try JSONWriter(encoder).encode(self)
    return PlainText.escapedJSON(String(decoding: data, as: UTF8.self)) + "\n"
  }
}
