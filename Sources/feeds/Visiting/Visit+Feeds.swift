extension Visit {
  /// Lists the feeds that are kept.
  ///
  /// - Throws: `LoadError` of kind `store`.
  func list() async throws -> Outcome {
    let feeds = try await library.feeds().filter { $0.isNamed(by: arguments.feeds) }
    if arguments.wantsJSON {
      let visits = feeds.map { FeedVisit(source: $0.source, kept: $0, isSkipped: true) }
      output.write(try VisitDocument(visits: visits, items: [], now: now).text())
      return .success
    }
    if feeds.isEmpty { tellThatNoneIsKept() }
    var rows: [(KeptFeed, Int)] = []
    for feed in feeds { rows.append((feed, try await library.itemCount(of: feed))) }
    FeedListing(channel: output, now: now).write(rows)
    return .success
  }

  /// Says how feeds come to be kept.
  func tellThatNoneIsKept() { errors.line("No feed is kept. Name one to keep it: feeds URL") }

  /// Forgets feeds, all that are named or none.
  ///
  /// - Throws: `LoadError` of kind `store`; `UsageError` for a name that no feed has.
  func remove(_ names: [String]) async throws -> Outcome {
    let kept = try await library.feeds()
    var feeds: [KeptFeed] = []
    for name in names {
      let named = kept.filter { $0.isCalled(name) }
      guard !named.isEmpty else {
        throw UsageError("no feed is kept whose URL or title is \"\(PlainText.visible(name))\"")
      }
      feeds += named
    }
    try await library.remove(feeds)
    for feed in feeds { errors.line("Removed \(feed.source.name)") }
    return .success
  }
}
