import Foundation
import ResourceCache
import ResourceFeeds
import ResourceLoading
import ResourceStore

/// Distinguishes the items of a feed, in the same way on every reading.
///
/// It is the id that the feed gives: `guid` of RSS, `id` of Atom and of JSON Feed. Without one it is the link,
/// where no other item of the document has the same; podcasts link every episode to one page. Where that
/// doesn't help either, it is a digest of the title, the date and the text.
enum ItemIdentity {
  /// The items of a feed by their identities, each once, in the order of the document.
  static func identified(_ items: [Feed.Item]) -> [(identity: String, item: Feed.Item)] {
    let links = items.filter { $0.id == nil }.compactMap(\.link)
    let uses = links.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    var known: Set<String> = []
    return items.compactMap { item in
      let link = item.link.flatMap { uses[$0] == 1 ? $0.absoluteString : nil }
      let identity = item.id ?? link ?? digest(of: item)
      return known.insert(identity).inserted ? (identity, item) : nil
    }
  }

  /// Whether an identity means the same item in whatever feed it is: it is a URI, of any scheme. Numbers and
  /// the like are used by many feeds.
  static func isGlobal(_ identity: String) -> Bool {
    guard let colon = identity.firstIndex(of: ":") else { return false }
    let scheme = identity[..<colon]
    return scheme.count > 1 && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  }

  private static func digest(of item: Feed.Item) -> String {
    let date = item.date.map { "\($0.timeIntervalSince1970)" }
    let parts = [
      item.link?.absoluteString, item.title, date, (item.summary ?? item.content)?.value,
    ]
    let text = parts.map { $0 ?? "" }.joined(separator: "\u{0}")
    return "digest-" + SecureHash.hexadecimal(SecureHash.sha256(text.utf8))
  }
}

/// Merges the items of a feed with those that are kept of it.
struct ItemMerge {
  /// The rows that are new or different.
  private(set) var items: [KeptItem] = []

  /// The number of new and of different rows.
  private(set) var change = Library.Change()

  /// Compares what was read with what is kept.
  ///
  /// - Parameters:
  ///   - read: The items in the order of the document.
  ///   - feed: Where it was read.
  ///   - older: The rows of the feed.
  ///   - now: When it was read.
  ///   - isFirst: Whether the feed was never read before.
  init(_ read: [Feed.Item], of feed: URL, older: [KeptItem], now: Date, isFirst: Bool) {
    let known = Dictionary(older.map { ($0.identity, $0) }) { first, _ in first }
    for (position, (identity, item)) in ItemIdentity.identified(read).enumerated() {
      let item = KeptItem(
        item, identity: identity, feed: feed, position: position, now: now, isFirst: isFirst)
      guard let older = known[identity] else {
        items.append(item)
        change.new += 1
        continue
      }
      let newer = item.seen(like: older)
      guard newer != older else { continue }
      items.append(newer)
      change.changed += 1
    }
  }
}
