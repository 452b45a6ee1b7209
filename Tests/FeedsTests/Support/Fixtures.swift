import Foundation
import ResourceFeeds

@testable import feeds

extension URL {
  /// A URL from a valid string.
  init(known text: StaticString) {
    guard let url = URL(string: "\(text)") else { preconditionFailure("\(text) is no URL") }
    self = url
  }
}

extension KeptFeed {
  /// A feed that isn't kept yet.
  static func new(_ url: StaticString) -> KeptFeed {
    KeptFeed(url: URL(known: url), added: .unix(1_800_000_000))
  }
}

extension KeptItem {
  /// An item as it is kept at its first reading.
  static func kept(_ item: Feed.Item, seen: Date = .unix(1_800_000_000)) -> KeptItem {
    KeptItem(
      item, Feed.ItemIdentity(rawValue: item.id ?? ""), of: URL(known: "https://example.org/feed"),
      at: 0, now: seen)
  }
}

extension Date {
  /// The date a number of seconds after the beginning of 1970.
  static func unix(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }
}
