import Foundation

/// What becomes of the items of a feed when it is read again.
struct ItemMerge {
  /// The rows that are new or different.
  private(set) var items: [KeptItem] = []

  /// How many there are of each.
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
