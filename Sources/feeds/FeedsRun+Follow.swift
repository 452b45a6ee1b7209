import Foundation
import ResourceFeeds
import ResourceLoading
import ResourceState

extension FeedsRun {
  /// Reads feeds again and again, and lists new items as they appear, until the task is cancelled.
  /// Each feed is a live resource: a state that an interval and signals keep up to date, and whose
  /// changes are reported. All feeds are read at each of the signals.
  @MainActor
  func follow(
    _ feeds: [KeptFeed], over loader: any Loader, clock: any Clock<Duration>,
    signals: AsyncStream<Void>, date: @Sendable () -> Date
  ) async throws {
    var options = LiveOptions()
    options.freshness = .untilInvalidated
    options.interval = arguments.interval
    let live = LiveResources(loader, options: options, clock: clock)
    let (states, changes) = AsyncStream.makeStream(of: (KeptFeed, LiveState<Feed>).self)
    let observations = feeds.map { feed in
      live.observe(.feed(feed.url)) { state in
        if !state.isLoading { changes.yield((feed, state)) }
      }
    }
    // A signal also counts soon after a failure, and during a load.
    let reading = Task { for await _ in signals { live.invalidateAll() } }
    defer {
      reading.cancel()
      for observation in observations { observation.cancel() }
    }
    var listed = Set(try await library.items(of: feeds, limit: .max).map(\.overallIdentity))
    var failing: Set<URL> = []
    errors.line("Following \(feeds.count.counting("feed")). Ctrl-C ends it.")
    for await (feed, state) in states {
      if let error = state.error {
        // Once, until it can be read again.
        if failing.insert(feed.url).inserted { errors.failure(error, of: feed.name) }
      } else if let value = state.value {
        failing.remove(feed.url)
        _ = try await library.keep(value, from: feed.url, now: date())
        let items = try await library.items(of: feeds, limit: .max)
        try await list(items.filter { listed.insert($0.overallIdentity).inserted })
      }
    }
  }
}
