import Foundation
import PromiseModule
import ResourceFeeds
import ResourceLoading
import ResourceStore
import Synchronization

/// One run of the program on a library.
///
/// Its methods throw a `LoadError` of kind `store` if the library can't be used, and
/// `CancellationError`; their descriptions tell what else they throw.
struct FeedsRun: Sendable {
  let library: Library
  let arguments: Arguments
  /// The time of the run, which is the first reading of everything new.
  let now: Date
  let output: Output
  let errors: Output
}

// MARK: - Kept feeds

extension FeedsRun {
  /// Returns the feeds to read: those of the command line, else those that are kept.
  func feeds() async throws -> [KeptFeed] {
    guard arguments.urls.isEmpty else {
      return try await library.feeds(at: arguments.urls.map { KeptFeed(url: $0, added: now) })
    }
    return try await library.feeds()
  }

  /// Lists the kept feeds.
  func list() async throws -> ProgramStatus {
    let feeds = try await library.feeds()
    if arguments.wantsJSON {
      let results = feeds.map { FeedResult(feed: $0, isSkipped: true) }
      output.write(try JSONDocument(results: results, items: [], now: now).text())
      return .success
    }
    if feeds.isEmpty { reportNoFeeds() }
    for feed in feeds {
      let count = try await library.itemCount(of: feed).counting("item")
      let age = Age.phrase([feed.read].compactMap(\.self), now: now)
      output.line(feed.name)
      output.line("  \(count), \(age)")
      output.line("  \(feed.url.absoluteString)")
    }
    return .success
  }

  private func reportNoFeeds() { errors.line("No feed is kept. Name one to keep it: feeds URL") }

  /// Forgets feeds, all that are named or none.
  func remove(_ names: [String]) async throws -> ProgramStatus {
    let kept = try await library.feeds()
    if let name = names.first(where: { name in !kept.contains { $0.isCalled(name) } }) {
      throw UsageError("no feed is kept whose URL or title is \"\(name)\"")
    }
    let feeds = kept.filter { feed in names.contains(where: feed.isCalled) }
    try await library.remove(feeds)
    for feed in feeds { errors.line("Removed \(feed.name)") }
    return .success
  }
}

// MARK: - Reading

extension FeedsRun {
  /// Lists what is kept of some feeds, reads them, and lists what is new.
  ///
  /// - Returns: `success` if every feed was read, or if there is no network and all of them are
  ///   kept.
  func read(_ feeds: [KeptFeed], over loader: any Loader) async throws -> ProgramStatus {
    if feeds.isEmpty { reportNoFeeds() }
    let results = try await results(of: feeds, over: loader)
    return results.isOffline || results.allSatisfy { $0.state == .fresh } ? .success : .failure
  }

  /// Reads the recorded feeds. One of them is missing on purpose, so this only fails if none could
  /// be read.
  func demonstrate(over loader: any Loader) async throws -> ProgramStatus {
    // By await: the next line needs the index.
    let index = try await loader.load(Resource<FeedIndex>(json: .get("/index.json")))
    // By callback: nobody waits for the notice, and if it hasn't arrived at the end it is left out.
    let notice = Mutex<String?>(nil)
    let load = loader.load(Resource.text(index.notice), on: .inline) { result in
      notice.withLock { $0 = try? result.get() }
    }
    defer { load.cancel() }
    let feeds = index.feeds.map { KeptFeed(url: $0.url, title: $0.title, added: now) }
    let results = try await results(of: library.feeds(at: feeds), over: loader)
    if let text = notice.withLock(\.self).flatMap({ PlainText.line($0) }) { errors.line(text) }
    return results.contains { $0.state == .fresh } ? .success : .failure
  }

  /// Lists what is kept at once and what is new at the end; no item is listed twice. JSON is
  /// written at the end, as one document.
  private func results(
    of feeds: [KeptFeed], over loader: any Loader
  ) async throws -> [FeedResult] {
    let chosen = newest(of: feeds, limit: arguments.limit)
    let listed = arguments.wantsJSON ? [] : try await listKept(chosen, of: feeds)
    let results =
      arguments.isOffline
      ? feeds.map { FeedResult(feed: $0, isSkipped: true) } : try await load(feeds, over: loader)
    let items = try await library.items(chosen)
    if arguments.wantsJSON {
      output.write(try JSONDocument(results: results, items: items, now: now).text())
    } else {
      try await listNew(items.filter { !listed.contains($0.overallIdentity) }, results, listed)
    }
    FailureList(output: errors).write(results, now: now)
    return results
  }

  /// Returns the choice of the items that may be listed.
  func newest(of feeds: [KeptFeed], limit: Int) -> Selection<KeptItem> {
    .newest(of: feeds.map(\.url), limit: limit)
  }

  /// Returns the identities of the listed items.
  private func listKept(
    _ chosen: Selection<KeptItem>, of feeds: [KeptFeed]
  ) async throws -> Set<String> {
    let items = try await library.items(chosen)
    guard !items.isEmpty else { return [] }
    errors.line("Kept, \(Age.phrase(feeds.compactMap(\.read), now: now)):")
    try await write(items)
    return Set(items.map(\.overallIdentity))
  }

  private func listNew(
    _ items: [KeptItem], _ results: [FeedResult], _ listed: Set<String>
  ) async throws {
    if !listed.isEmpty, results.contains(where: { $0.change != nil }) {
      errors.line(results.changes(areListed: !items.isEmpty))
      if !items.isEmpty { output.line() }
    }
    try await write(items)
  }

  func write(_ items: [KeptItem]) async throws {
    let names = try await library.feeds().map { ($0.url, $0.name) }
    ItemList(output: output, names: Dictionary(uniqueKeysWithValues: names)).write(items)
  }
}

// MARK: - Loading

extension FeedsRun {
  /// The most pages of one feed, since a server can link to next ones forever.
  private static let pageLimit = 5

  /// Reads feeds; none stops the others.
  ///
  /// By promise: so many at once, and all results as one value.
  ///
  /// - Returns: The results in the order of the feeds.
  func load(_ feeds: [KeptFeed], over loader: any Loader) async throws -> [FeedResult] {
    let progress = ProgressDisplay(errors, total: feeds.count)
    defer { progress.finish() }
    return try await Promise.map(feeds, concurrency: arguments.concurrency) { feed in
      Promise {
        let (result, count) = try await load(feed, over: loader)
        progress.advance(result.feed.name, itemCount: count)
        return result
      }
    }.value
  }

  /// Reads a feed with as many further pages as are needed, and keeps each as it arrives, so that
  /// an interruption loses little.
  ///
  /// - Returns: The result, and the number of the items; `nil` if the feed couldn't be read.
  private func load(
    _ feed: KeptFeed, over loader: any Loader
  ) async throws -> (FeedResult, itemCount: Int?) {
    var (result, loaded) = (FeedResult(feed: feed), Feed?.none)
    var options = PagingOptions()
    (options.limit, options.readsAhead) = (Self.pageLimit, false)
    // Of the feed's origin, which the first redirect may have changed.
    options.allowsOtherOrigins = true
    do {
      for try await page in loader.pages(of: .feed(feed.url), by: .nextPage, options: options) {
        let whole = loaded?.followed(by: page) ?? page
        result.change = result.change ?? Library.Change()
        result.change? += try await library.keep(whole, from: feed.url, now: now)
        (result.feed.title, result.feed.link, result.feed.read) = (whole.title, whole.link, now)
        loaded = whole
        if whole.items.count >= arguments.limit { break }
      }
    } catch let error as LoadError where error.kind != .store {
      // Pages that go in a circle have come to their end.
      if error.kind != .paging { result.failure = error }
    }
    return (result, loaded?.items.count)
  }
}
