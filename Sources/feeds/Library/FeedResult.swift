import ResourceLoading

struct FeedResult: Sendable {
  var feed: KeptFeed
  /// The difference that the reading made; `nil` if the feed wasn't read.
  var change: Library.Change?
  /// Why the feed, or a further page of it, couldn't be read.
  var failure: LoadError?
}

extension FeedResult {
  /// The result of a feed that isn't loaded, because only kept items are listed.
  init(offline feed: KeptFeed) {
    self.init(feed: feed)
    if feed.read == nil {
      failure = LoadError(.notCached, "the feed isn't kept yet, and nothing is loaded offline")
    }
  }

  /// Whether no server could be reached, and the feed was kept earlier.
  var isOffline: Bool {
    guard change == nil, feed.read != nil else { return false }
    guard let failure else { return true }
    return failure.response == nil && [.connection, .timedOut].contains(failure.kind)
  }
}

extension [FeedResult] {
  /// Whether nothing was read, and everything was kept earlier.
  var isOffline: Bool { !isEmpty && allSatisfy(\.isOffline) }

  /// Whether a feed couldn't be read although servers could be reached.
  var hasFailures: Bool { !isOffline && contains { $0.failure != nil } }

  /// What has changed, such as `3 new items, 1 changed`.
  var changes: String {
    let changes = compactMap(\.change)
    let (new, changed) = (changes.map(\.new).reduce(0, +), changes.map(\.changed).reduce(0, +))
    return (new == 0 ? "Nothing new" : new.counting("new item"))
      + (changed == 0 ? "" : ", \(changed) changed")
  }
}
