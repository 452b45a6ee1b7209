import Foundation
import PromiseModule
import ResourceFeeds
import ResourceLoading

/// One run of the program on a library.
struct FeedsRun: Sendable {
  let library: Library
  let arguments: Arguments
  /// The time of the run, which is the first reading of everything new.
  let now: Date
  let output: Output
  let errors: Output
}

extension FeedsRun {
  /// Returns the feeds of the command line, or otherwise those that are kept.
  func feeds() async throws -> [KeptFeed] {
    arguments.urls.isEmpty
      ? try await library.feeds() : try await library.feeds(at: arguments.urls, now: now)
  }

  /// Lists what is kept of some feeds, reads them, and lists what is new; no item is listed twice.
  /// JSON is written at the end, as one document. Returns the results in the order of the feeds.
  func read(_ feeds: [KeptFeed], over loader: any Loader) async throws -> [FeedResult] {
    if feeds.isEmpty { errors.line("No feed is kept. Name one to keep it: feeds URL") }
    let kept = arguments.wantsJSON ? [] : try await items(of: feeds)
    if !kept.isEmpty { errors.line("Kept:") }
    try await list(kept)
    let results =
      arguments.isOffline
      ? feeds.map(FeedResult.init(offline:)) : try await load(feeds, over: loader)
    let items = try await items(of: feeds)
    if arguments.wantsJSON {
      output.write(try Report(results, items).text())
    } else {
      let listed = Set(kept.map(\.overallIdentity))
      if !kept.isEmpty, !results.isOffline { errors.line(results.changes) }
      try await list(items.filter { !listed.contains($0.overallIdentity) }, after: kept)
    }
    report(results)
    return results
  }

  private func items(of feeds: [KeptFeed]) async throws -> [KeptItem] {
    try await library.items(of: feeds, limit: arguments.limit)
  }

  private func report(_ results: [FeedResult]) {
    if results.isOffline {
      let read = results.compactMap(\.feed.read).min()?.formatted(.iso8601) ?? ""
      return errors.line("Offline. What is listed was read at \(read) or later.")
    }
    let failed = results.filter { $0.failure != nil }
    guard !failed.isEmpty else { return }
    errors.line("\(failed.count) of \(results.count.counting("feed")) failed")
    for result in failed {
      if let failure = result.failure { errors.failure(failure, of: result.feed.name) }
    }
  }
}

extension FeedsRun {
  /// Lists items, with empty lines between: date and title, and below them feed and link.
  func list(_ items: [KeptItem], after others: [KeptItem] = []) async throws {
    let names = try await library.feeds().map { ($0.url, $0.name) }
    let name = Dictionary(uniqueKeysWithValues: names)
    for (index, item) in items.enumerated() {
      if index > 0 || !others.isEmpty { output.line() }
      let day = item.rank.formatted(.iso8601.year().month().day())
      output.line("\(day)  \(item.heading)")
      let link = item.link.map { " · \($0.absoluteString)" } ?? ""
      output.line("            \(name[item.feed] ?? "")\(link)")
    }
  }
}

extension FeedsRun {
  /// Reads feeds, several at once, and returns the results in their order. None stops the others.
  func load(_ feeds: [KeptFeed], over loader: any Loader) async throws -> [FeedResult] {
    let progress = ProgressDisplay(errors, total: feeds.count)
    defer { progress.finish() }
    return try await Promise.map(feeds, concurrency: 8) { feed in
      Promise {
        let (result, count) = try await load(feed, over: loader)
        progress.advance(result.feed.name, itemCount: count)
        return result
      }
    }.value
  }

  /// Reads a feed with as many further pages as needed, and keeps each as it arrives, so that
  /// little is lost if the program ends. Returns the result and the number of items; `nil` if the
  /// feed couldn't be read.
  private func load(
    _ feed: KeptFeed, over loader: any Loader
  ) async throws -> (FeedResult, itemCount: Int?) {
    var (result, loaded) = (FeedResult(feed: feed), Feed?.none)
    var options = PagingOptions()
    // A server can link to next pages forever.
    options.maximumPages = 5
    options.readsAhead = false
    // Of the feed's origin, which the first redirect may have changed.
    options.allowsOtherOrigins = true
    do {
      for try await page in loader.pages(of: .feed(feed.url), by: .nextPage, options: options) {
        let whole = loaded?.followed(by: page) ?? page
        let change = try await library.keep(whole, from: feed.url, now: now)
        result.change = (result.change ?? Library.Change()) + change
        (result.feed.title, result.feed.read) = (whole.title, now)
        loaded = whole
        if whole.items.count >= arguments.limit { break }
      }
    } catch let error as LoadError where error.kind != .store {
      // A loop of pages counts as their end.
      if error.kind != .paging { result.failure = error }
    }
    return (result, loaded?.items.count)
  }
}
