import Foundation
import ResourceFeeds
import ResourceLoading

/// One run of the program on a library.
struct FeedsRun: Sendable {
  let library: Library
  let arguments: Arguments
  /// The time of the run: everything that is read is first seen then.
  let now: Date
  let output: Output
  let errors: Output
}

extension FeedsRun {
  /// Returns the feeds to read: the URLs of the command line, else the kept feeds that are chosen.
  ///
  /// - Throws: `LoadError` of kind `store`; `UsageError` where no kept feed is chosen, though there are some.
  func sources() async throws -> [Source] {
    let kept = try await library.feeds()
    guard arguments.urls.isEmpty else {
      let known = Dictionary(kept.map { ($0.url, $0.source) }) { first, _ in first }
      return arguments.urls.unique.map { known[$0] ?? Source($0) }
    }
    let chosen = kept.filter { $0.isNamed(by: arguments.feeds) }
    guard chosen.isEmpty, !kept.isEmpty else { return chosen.map(\.source) }
    throw UsageError("no feed is kept whose title or URL has \(arguments.feeds.quoted) in it")
  }

  /// Lists what is kept of some feeds, reads them, and lists what is new.
  ///
  /// - Returns: `success` if every feed was read, or if there is no network and all of them are kept.
  /// - Throws: `LoadError` of kind `store`, or `CancellationError`.
  func run(_ sources: [Source], over loader: any Loader) async throws -> Outcome {
    if sources.isEmpty { tellThatNoneIsKept() }
    let results = try await read(sources, over: loader)
    return results.isOffline || results.allSatisfy { $0.state == .fresh } ? .success : .failure
  }

  /// Reads the recorded feeds. One of them is missing on purpose, so a failure counts only if nothing could
  /// be read.
  ///
  /// - Parameters:
  ///   - index: Where the list of them is.
  ///   - loader: Loads everything.
  /// - Throws: `LoadError` if their index can't be read or the store fails, or `CancellationError`.
  func demonstrate(_ index: URL, over loader: any Loader) async throws -> Outcome {
    // By await: nothing can be done before the index is there, so the next line waits for it.
    let index = try await loader.load(
      FeedIndex.resource(index, timeout: arguments.timeout))
    let notice = Notice()
    if let url = index.notice { notice.start(url, over: loader) }
    let results = try await read(index.sources, over: loader)
    if let text = notice.finish() { errors.note(text) }
    return results.contains { $0.state == .fresh } ? .success : .failure
  }

  private func read(_ sources: [Source], over loader: any Loader) async throws -> [FeedResult] {
    let choice = choice(of: sources)
    var listing = try await RunListing(of: sources, choice, in: self)
    let results = try await arguments.isOffline ? kept(sources) : load(sources, over: loader)
    try await listing.finish(results)
    return results
  }

  private func choice(of sources: [Source]) -> ItemChoice {
    ItemChoice(
      feeds: sources.map(\.url), since: arguments.since?.beginning(now: now, in: .current),
      until: arguments.until?.end(now: now, in: .current), limit: arguments.limit)
  }
}

// MARK: - Reading

extension FeedsRun {
  /// Loads all sources, and keeps each as it comes in, so that an end in the middle loses little.
  private func load(_ sources: [Source], over loader: any Loader) async throws -> [FeedResult] {
    var progress = ProgressDisplay(errors, total: sources.count)
    defer { progress.finish() }
    var changes: [URL: Library.Change] = [:]
    let readings = try await FeedLoading(loader: loader, arguments: arguments)
      .read(sources) { reading in
        try await keep(reading, &changes)
        progress.advance(reading)
      }
    for reading in readings where reading.pages > 1 { try await keep(reading, &changes) }
    return try await results(sources, changes: changes, readings: readings)
  }

  private func keep(_ reading: Reading, _ changes: inout [URL: Library.Change]) async throws {
    guard let feed = reading.feed else { return }
    let change = try await library.keep(feed, from: reading.source.url, now: now)
    changes[reading.source.url, default: Library.Change()] += change
  }

  private func kept(_ sources: [Source]) async throws -> [FeedResult] {
    try await results(sources, changes: [:], readings: [])
  }

  /// Returns the result of each source, with the feed as the library has it now.
  private func results(
    _ sources: [Source], changes: [URL: Library.Change], readings: [Reading]
  ) async throws -> [FeedResult] {
    let kept = try await library.feeds()
    return sources.map { source in
      var result = FeedResult(source: source, kept: kept.first { $0.url == source.url })
      result.change = changes[source.url]
      result.failure = readings.first { $0.source.url == source.url }?.failure
      result.isSkipped = arguments.isOffline
      return result
    }
  }
}

extension FeedsRun {
  /// Lists the feeds that are kept.
  ///
  /// - Throws: `LoadError` of kind `store`.
  func list() async throws -> Outcome {
    let feeds = try await library.feeds().filter { $0.isNamed(by: arguments.feeds) }
    if arguments.wantsJSON {
      let results = feeds.map { FeedResult(source: $0.source, kept: $0, isSkipped: true) }
      output.write(try JSONDocument(results: results, items: [], now: now).text())
      return .success
    }
    if feeds.isEmpty { tellThatNoneIsKept() }
    for feed in feeds {
      let count = try await library.itemCount(of: feed)
      let age = Age.phrase([feed.read].compactMap(\.self), now: now)
      output.line(output.styled(feed.source.name.truncated(to: output.width), .bold))
      output.line("  \(count == 1 ? "1 item" : "\(count) items"), \(age)")
      output.line("  \(feed.url.absoluteString)")
    }
    return .success
  }

  /// Explains how feeds are added.
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
