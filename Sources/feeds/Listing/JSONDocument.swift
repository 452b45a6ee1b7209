import Foundation
import ResourceFeeds
import ResourceLoading

/// The document that `--json` writes: every member is always there, `null` for what isn't known.
struct JSONDocument {
  let results: [FeedResult]
  let items: [KeptItem]
  let now: Date

  /// Raised when a member goes or changes its meaning; members that come along don't raise it.
  private static let version = 1

  /// The document, with a line break at the end.
  ///
  /// - Throws: What the encoder throws, hardly ever.
  func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return PlainText.escapedJSON(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
  }

  private var value: JSONValue {
    [
      "version": .integer(Int64(Self.version)),
      "generated": .date(now),
      "offline": .bool(results.isOffline),
      "feeds": .array(results.map(feed)),
      "items": .array(items.map(item)),
    ]
  }

  private func feed(_ result: FeedResult) -> JSONValue {
    [
      "url": .url(result.source.url),
      "title": .text(result.kept?.title),
      "link": .url(result.kept?.link?.shown),
      "read": .date(result.kept?.read),
      "state": .string(result.state.rawValue),
      "new": .integer(Int64(result.change?.new ?? 0)),
      "changed": .integer(Int64(result.change?.changed ?? 0)),
      "error": result.failure.map(error) ?? .null,
    ]
  }

  private func error(_ failure: any Error) -> JSONValue {
    guard let error = failure as? LoadError else {
      return [
        "kind": .null, "reason": .string("\(failure)"), "advice": .null, "status": .null,
        "serverMessage": .null,
      ]
    }
    return [
      "kind": .string(error.kind.rawValue),
      "reason": .string(error.reason),
      "advice": .text(error.advice),
      "status": (error.response?.status.rawValue).map { .integer(Int64($0)) } ?? .null,
      "serverMessage": .text(error.serverMessage),
    ]
  }

  private func item(_ item: KeptItem) -> JSONValue {
    [
      "feed": .url(item.feed),
      "id": .string(item.identity),
      "title": .text(item.title),
      "link": .url(item.link?.shown),
      "authors": .array(item.authors.map { .string($0) }),
      "published": .date(item.published),
      "updated": .date(item.updated),
      "summary": .text(item.summary),
      "content": .text(item.content),
      "categories": .array(item.categories.map { .string($0) }),
      "enclosures": .array(item.enclosures.filter { $0.url.shown != nil }.map(enclosure)),
      "firstRead": .date(item.seen),
      "new": .bool(item.seen == now),
    ]
  }

  private func enclosure(_ enclosure: Feed.Enclosure) -> JSONValue {
    [
      "url": .url(enclosure.url),
      "type": .text(enclosure.mediaType),
      "length": enclosure.length.map { .integer(Int64($0)) } ?? .null,
    ]
  }
}

extension JSONValue {
  fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  fileprivate static func url(_ url: URL?) -> JSONValue { text(url?.absoluteString) }

  /// The moment in UTC, to the second: `2026-11-20T18:00:00Z`.
  fileprivate static func date(_ date: Date?) -> JSONValue {
    text(date?.formatted(Date.ISO8601FormatStyle()))
  }
}
