import Foundation
import ResourceFeeds
import ResourceJSON
import ResourceLoading

/// The document that `--json` writes. Every member is always there, `null` for what isn't known.
struct JSONDocument {
  let results: [FeedResult]
  let items: [KeptItem]
  let now: Date

  /// Raised when a member is removed or changes its meaning; new members don't raise it.
  private static let version = 1

  /// Returns the document, with a line break at the end.
  func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return PlainText.escapedJSON(
      String(decoding: try JSONWriter(encoder).encode(value), as: UTF8.self)) + "\n"
  }

  private var value: JSONValue {
    [
      "version": .number(Self.version), "generated": .date(now),
      "offline": .bool(results.isOffline), "feeds": .array(results.map(feed)),
      "items": .array(items.map(item)),
    ]
  }

  private func feed(_ result: FeedResult) -> JSONValue {
    [
      "url": .url(result.feed.url), "title": .text(result.feed.title),
      "link": .url(result.feed.link), "read": .date(result.feed.read),
      "state": .string(result.state.rawValue), "new": .number(result.change?.new ?? 0),
      "changed": .number(result.change?.changed ?? 0),
      "error": result.failure.map(error) ?? .null,
    ]
  }

  private func error(_ failure: any Error) -> JSONValue {
    let error = failure as? LoadError
    return [
      "kind": .text(error?.kind.rawValue), "reason": .string(error?.reason ?? "\(failure)"),
      "advice": .text(error?.advice), "status": .number(error?.response?.status.rawValue),
      "serverMessage": .text(error?.serverMessage),
    ]
  }

  private func item(_ item: KeptItem) -> JSONValue {
    [
      "feed": .url(item.feed), "id": .string(item.identity), "title": .text(item.title),
      "link": .url(item.link), "authors": .array(item.authors.map { .string($0) }),
      "published": .date(item.published), "updated": .date(item.updated),
      "summary": .text(item.summary), "content": .text(item.content),
      "categories": .array(item.categories.map { .string($0) }),
      "enclosures": .array(item.enclosures.filter(\.url.isWeb).map(enclosure)),
      "firstRead": .date(item.seen), "new": .bool(item.seen == now),
    ]
  }

  private func enclosure(_ enclosure: Feed.Enclosure) -> JSONValue {
    [
      "url": .url(enclosure.url), "type": .text(enclosure.mediaType),
      "length": .number(enclosure.length),
    ]
  }
}

extension JSONValue {
  fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  fileprivate static func number(_ number: Int?) -> JSONValue {
    number.map { .number(JSONNumber($0)) } ?? .null
  }

  /// The URL if it is `http` or `https`: a library that an older program wrote may have others.
  fileprivate static func url(_ url: URL?) -> JSONValue {
    text(url.flatMap { $0.isWeb ? $0.absoluteString : nil })
  }

  /// The time in UTC, to the second: `2026-11-20T18:00:00Z`.
  fileprivate static func date(_ date: Date?) -> JSONValue {
    text(date?.formatted(Date.ISO8601FormatStyle()))
  }
}
