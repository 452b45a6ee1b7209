import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceState

extension FeedsRun {
  /// Reads feeds again and again, and lists new items as they appear, until the task is cancelled.
  ///
  /// By live resources: each feed is a state that an interval and signals keep up to date, and that
  /// tells of changes only.
  ///
  /// - Parameters:
  ///   - clock: Counts the time between readings.
  ///   - signals: At each of them all feeds are read.
  ///   - date: The present date.
  @MainActor
  func follow(
    _ feeds: [KeptFeed], over loader: any Loader, clock: any Clock<Duration>,
    signals: AsyncStream<Void>, date: @Sendable () -> Date
  ) async throws {
    var options = LiveOptions()
    options.freshness = .untilInvalidated
    options.interval = arguments.pause
    let live = LiveResources(loader, options: options, clock: clock)
    let (states, telling) = AsyncStream.makeStream(of: (KeptFeed, LiveState<Feed>).self)
    let observations = feeds.map { feed in
      live.observe(.feed(feed.url)) { state in
        if !state.isLoading { telling.yield((feed, state)) }
      }
    }
    let reading = Task { for await _ in signals { live.invalidateAll() } }
    defer {
      reading.cancel()
      for observation in observations { observation.cancel() }
    }
    let chosen = newest(of: feeds, limit: 100_000)
    var listed = Set(try await library.items(chosen).map(\.overallIdentity))
    var failing: Set<URL> = []
    errors.line("Following \(feeds.count.counting("feed")). Ctrl-C ends it.")
    for await (feed, state) in states {
      if let error = state.error {
        // Once, until it can be read again.
        if failing.insert(feed.url).inserted {
          FailureList(output: errors).write(error, of: feed.name)
        }
        continue
      }
      failing.remove(feed.url)
      guard let value = state.value else { continue }
      _ = try await library.keep(value, from: feed.url, now: date())
      let items = try await library.items(chosen)
      try await write(items.filter { listed.insert($0.overallIdentity).inserted })
    }
    try Task.checkCancellation()
  }
}
