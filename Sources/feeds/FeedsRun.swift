import Foundation
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
  /// Returns the feeds to read: the URLs of the command line, else the chosen ones that are kept.
  ///
  /// - Throws: `LoadError` of kind `store`; `UsageError` if feeds are kept and none of them is chosen.
  func sources() async throws -> [FeedSource] {
    let kept = try await library.feeds()
    var known: Set<URL> = []
    guard arguments.urls.isEmpty else {
      return arguments.urls.filter { known.insert($0).inserted }.map { url in
        kept.first { $0.url == url }?.source ?? FeedSource(url)
      }
    }
    let chosen = kept.filter { $0.contains(anyOf: arguments.feeds) }
    guard chosen.isEmpty, !kept.isEmpty else { return chosen.map(\.source) }
    let texts = arguments.feeds.map { "\"\(PlainText.visible($0))\"" }.joined(separator: ", ")
    throw UsageError("no feed is kept whose title or URL has \(texts) in it")
  }

  /// Lists what is kept of some feeds, reads them, and lists what is new.
  ///
  /// - Returns: `success` if every feed was read, or if there is no network and all of them are kept.
  /// - Throws: `LoadError` of kind `store`, or `CancellationError`.
  func read(_ sources: [FeedSource], over loader: any Loader) async throws -> ProgramStatus {
    if sources.isEmpty { reportNoFeeds() }
    let results = try await results(of: sources, over: loader)
    return results.isOffline || results.allSatisfy { $0.state == .fresh } ? .success : .failure
  }

  /// Reads the recorded feeds. One of them is missing on purpose, so this only fails if none could be read.
  ///
  /// - Throws: `LoadError` if their index can't be read or the store fails, or `CancellationError`.
  func demonstrate(_ index: URL, over loader: any Loader) async throws -> ProgramStatus {
    // By await: the next line needs the index.
    let index = try await loader.load(FeedIndex.resource(index, timeout: arguments.timeout))
    let notice = Notice()
    if let url = index.notice { notice.start(url, over: loader) }
    let results = try await results(of: index.sources, over: loader)
    if let text = notice.finish() { errors.note(text) }
    return results.contains { $0.state == .fresh } ? .success : .failure
  }

  /// Lists the kept feeds.
  ///
  /// - Throws: `LoadError` of kind `store`.
  func list() async throws -> ProgramStatus {
    let feeds = try await library.feeds().filter { $0.contains(anyOf: arguments.feeds) }
    if arguments.wantsJSON {
      let results = feeds.map { FeedResult(source: $0.source, kept: $0, isSkipped: true) }
      output.write(try JSONDocument(results: results, items: [], now: now).text())
      return .success
    }
    if feeds.isEmpty { reportNoFeeds() }
    for feed in feeds {
      let count = ProgressDisplay.items(try await library.itemCount(of: feed))
      let age = Age.phrase([feed.read].compactMap(\.self), now: now)
      output.line(output.styled(feed.source.name.truncated(to: output.width), .bold))
      output.line("  \(count), \(age)")
      output.line("  \(feed.url.absoluteString)")
    }
    return .success
  }

  private func reportNoFeeds() { errors.line("No feed is kept. Name one to keep it: feeds URL") }

  /// Forgets feeds, all that are named or none.
  ///
  /// - Throws: `LoadError` of kind `store`; `UsageError` for a name that no feed has.
  func remove(_ names: [String]) async throws -> ProgramStatus {
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

// MARK: - Reading

extension FeedsRun {
  /// Lists what is kept at once and what is new at the end; no item is listed twice. JSON is written at the end, as
  /// one document.
  ///
  /// - Throws: A `LoadError` of the store, or `CancellationError`.
  private func results(
    of sources: [FeedSource], over loader: any Loader
  ) async throws -> [FeedResult] {
    let choice = choice(of: sources, limit: arguments.limit)
    let listed = arguments.wantsJSON ? [] : try await listKept(choice)
    let results = try await load(arguments.isOffline ? [] : sources, of: sources, over: loader)
    let items = try await library.items(choice)
    if arguments.wantsJSON {
      output.write(try JSONDocument(results: results, items: items, now: now).text())
    } else {
      try await listNew(items.filter { !listed.contains($0.overallIdentity) }, results, listed)
    }
    FailureList(output: errors).write(results, now: now)
    return results
  }

  /// Returns the choice of the items that may be listed.
  func choice(of sources: [FeedSource], limit: Int) -> ItemChoice {
    ItemChoice(
      feeds: sources.map(\.url), since: arguments.since?.beginning(now: now, in: .current),
      until: arguments.until?.end(now: now, in: .current), limit: limit)
  }

  /// Returns the identities of the listed items.
  ///
  /// - Throws: A `LoadError` of the store, or `CancellationError`.
  private func listKept(_ choice: ItemChoice) async throws -> Set<String> {
    let items = try await library.items(choice)
    guard !items.isEmpty else { return [] }
    let feeds = try await library.feeds().filter { choice.feeds?.contains($0.url) ?? true }
    errors.note("Kept, \(Age.phrase(feeds.compactMap(\.read), now: now)):")
    try await write(items)
    return Set(items.map(\.overallIdentity))
  }

  /// - Throws: A `LoadError` of the store, or `CancellationError`.
  private func listNew(
    _ items: [KeptItem], _ results: [FeedResult], _ listed: Set<String>
  ) async throws {
    if !listed.isEmpty, results.contains(where: { $0.change != nil }) {
      errors.note(results.changes(areListed: !items.isEmpty))
      if !items.isEmpty { output.line() }
    }
    try await write(items)
  }

  /// - Throws: A `LoadError` of the store, or `CancellationError`.
  func write(_ items: [KeptItem]) async throws {
    let names = try await library.feeds().map { ($0.url, $0.source.name) }
    let feeds = Dictionary(names) { first, _ in first }
    ItemList(output: output)
      .write(items.map { ListedItem(feed: feeds[$0.feed] ?? FeedSource($0.feed).name, item: $0) })
  }

  /// Loads some of the feeds, and keeps each as it arrives, so that an interruption loses little.
  ///
  /// - Throws: A `LoadError` of the store, or `CancellationError`.
  private func load(
    _ tried: [FeedSource], of sources: [FeedSource], over loader: any Loader
  ) async throws -> [FeedResult] {
    var progress = ProgressDisplay(errors, total: tried.count)
    defer { progress.finish() }
    var changes: [URL: Library.Change] = [:]
    let loaded = try await FeedLoader(loader: loader, arguments: arguments).load(tried) { loaded in
      try await keep(loaded, &changes)
      progress.advance(loaded.name, itemCount: loaded.feed?.items.count)
    }
    for loaded in loaded where loaded.pages > 1 { try await keep(loaded, &changes) }
    let kept = try await library.feeds()
    return sources.map { source in
      FeedResult(
        source: source, kept: kept.first { $0.url == source.url }, change: changes[source.url],
        failure: loaded.first { $0.source.url == source.url }?.failure,
        isSkipped: arguments.isOffline)
    }
  }

  /// - Throws: A `LoadError` of the store, or `CancellationError`.
  private func keep(_ loaded: LoadedFeed, _ changes: inout [URL: Library.Change]) async throws {
    guard let feed = loaded.feed else { return }
    let change = try await library.keep(feed, from: loaded.source.url, now: now)
    changes[loaded.source.url, default: Library.Change()] += change
  }
}
