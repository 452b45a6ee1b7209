import Foundation
import ResourceStore

/// Which items are listed.
struct ItemChoice: Equatable, Sendable {
  /// The URLs of the feeds; `nil` for all.
  var feeds: [URL]?

  /// The first moment that counts.
  var since: Date?

  /// The first moment that no longer counts.
  var until: Date?

  /// How many items at most.
  var limit = 20
}

extension ItemChoice {
  /// The choice as rows of the database, as many as the limit allows.
  ///
  /// - Parameter offset: How many are left out at the beginning.
  func selection(offset: Int) -> Selection<KeptItem> {
    var condition = Condition<KeptItem>.all
    if let feeds { condition = condition && KeptItem.feed.isIn(feeds) }
    if let since { condition = condition && KeptItem.rank >= since }
    if let until { condition = condition && KeptItem.rank < until }
    let order = [
      KeptItem.rank.descending, KeptItem.date.descending, KeptItem.position.ascending,
      KeptItem.feed.ascending,
    ]
    return Selection(where: condition, order: order, limit: limit, offset: offset)
  }
}
