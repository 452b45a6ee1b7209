import ResourceLoading

/// The result of one feed of a run.
struct FeedResult: Sendable {
  var feed: KeptFeed
  /// The difference that the reading made; `nil` if the feed couldn't be read.
  var change: Library.Change?
  /// Why the feed, or a further page of it, couldn't be read.
  var failure: (any Error)?
  /// Whether the feed wasn't tried.
  var isSkipped = false
}

extension FeedResult {
  /// The origin of what is listed of a feed.
  enum State: String, Sendable {
    /// It was read now.
    case fresh
    /// It couldn't be reached, or wasn't tried; what is listed was read before.
    case kept
    /// It couldn't be read, or only in part.
    case failed
  }

  var state: State {
    if change != nil, failure == nil { return .fresh }
    return feed.read != nil && change == nil && (isSkipped || isUnreachable) ? .kept : .failed
  }

  /// Whether no server answered, as without a network.
  private var isUnreachable: Bool {
    guard let error = failure as? LoadError else { return false }
    return error.response == nil && [.connection, .timedOut].contains(error.kind)
  }
}

extension [FeedResult] {
  /// Whether nothing was read, and everything is there from before.
  var isOffline: Bool { !isEmpty && allSatisfy { $0.state == .kept } }

  /// Returns a line on what has changed, such as `3 new items, 1 changed:`.
  ///
  /// - Parameter areListed: Whether something new is among the items that were asked for.
  func changes(areListed: Bool) -> String {
    let change = compactMap(\.change).reduce(into: Library.Change()) { $0 += $1 }
    let changed = change.changed == 0 ? "" : ", \(change.changed) changed"
    guard change.new > 0 else { return "Nothing new\(changed)." }
    let end = areListed ? ":" : ", none of them among those asked for."
    return change.new.counting("new item") + changed + end
  }
}
