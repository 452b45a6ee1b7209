import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceState

extension FeedsRun {
  /// Reads feeds again and again, and lists new items as they appear, until the task is cancelled.
  ///
  /// By live resources: each feed is a state that an interval and signals keep up to date, and that tells of changes only.
  ///
  /// - Parameters:
  ///   - clock: Counts the time between readings.
  ///   - signals: At each of them all feeds are read.
  ///   - date: The present date.
  /// - Throws: `LoadError` of kind `store`, or `CancellationError`.
  @MainActor
  func follow(
    _ sources: [FeedSource], over loader: any Loader, clock: any Clock<Duration>,
    signals: AsyncStream<Void>, date: @Sendable () -> Date
  ) async throws {
    var options = LiveOptions()
    options.freshness = .untilInvalidated
    options.interval = arguments.pause
    let live = LiveResources(loader, options: options, clock: clock)
    let (states, telling) = AsyncStream.makeStream(of: (FeedSource, LiveState<Feed>).self)
    let feeds = FeedLoader(loader: loader, arguments: arguments)
    let observations = sources.map { source in
      live.observe(feeds.followedResource(source.url)) { state in
        if !state.isLoading { telling.yield((source, state)) }
      }
    }
    let reading = Task { for await _ in signals { live.invalidateAll() } }
    defer {
      reading.cancel()
      for observation in observations { observation.cancel() }
    }
    let choice = choice(of: sources, limit: 100_000)
    var listed = Set(try await library.items(choice).map(\.overallIdentity))
    var failing: Set<URL> = []
    errors.note("Following \(ProgressDisplay.feeds(sources.count)). Ctrl-C ends it.")
    for await (source, state) in states {
      if let error = state.error {
        // Once, until it can be read again.
        if failing.insert(source.url).inserted {
          FailureList(output: errors).write(error, of: source.name)
        }
        continue
      }
      failing.remove(source.url)
      guard let feed = state.value else { continue }
      _ = try await library.keep(feed, from: source.url, now: date())
      let items = try await library.items(choice)
      try await write(items.filter { listed.insert($0.overallIdentity).inserted })
    }
    try Task.checkCancellation()
  }
}
