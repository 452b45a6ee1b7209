import Foundation

/// An item together with the feed it is from.
struct ListedItem: Sendable, Equatable {
  let feed: String
  let item: Feed.Item
}

extension ListedItem {
  /// The newest items of all feeds, the newest first; those without a date come last, in the order in
  /// which they were read.
  ///
  /// - Parameter count: How many at most.
  static func newest(_ count: Int, of readings: [Reading]) -> [ListedItem] {
    let items = readings.flatMap { reading in
      (reading.feed?.items ?? []).map { ListedItem(feed: reading.name, item: $0) }
    }
    let sorted = items.enumerated().sorted { one, other in
      let (first, second) = (one.element.time, other.element.time)
      return first == second ? one.offset < other.offset : first > second
    }
    return sorted.prefix(count).map(\.element)
  }

  private var time: Date { item.date ?? .distantPast }
}
