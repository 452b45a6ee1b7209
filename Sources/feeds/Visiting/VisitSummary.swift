/// Says in a line what a run has changed.
struct VisitSummary {
  private let change: Library.Change
  private let isListed: Bool

  /// - Parameter isListed: Whether something new is among the items that were asked for.
  init(_ visits: [FeedVisit], isListed: Bool) {
    self.isListed = isListed
    change = visits.compactMap(\.change).reduce(into: Library.Change()) { $0 += $1 }
  }

  /// `3 new items, 1 changed:`, or that there is none.
  var text: String {
    let changed = change.changed == 0 ? "" : ", \(change.changed) changed"
    let end = isListed ? ":" : ", none of them among those asked for."
    return switch change.new {
    case 0: "Nothing new\(changed)."
    case 1: "1 new item\(changed)\(end)"
    default: "\(change.new) new items\(changed)\(end)"
    }
  }
}
