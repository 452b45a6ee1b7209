import Foundation
import PromiseModule
import ResourceFeeds
import ResourceLoading

/// Loads many feeds, each with as many pages as are needed.
struct FeedLoading: Sendable {
  let loader: any Loader
  let arguments: Arguments

  /// Pages of one feed that are read at most, since a server can name a next one forever.
  private static let pageLimit = 5

  /// Reads all sources; none stops the others.
  ///
  /// The feeds are loaded by `loadAll`: they are many, they don't depend on each other, and each is told
  /// of as it comes in. Their further pages come by promise: such a load starts here, amid a loop that
  /// doesn't wait for it, and is waited for at the end.
  ///
  /// - Parameters:
  ///   - sources: What to read.
  ///   - report: Is called as soon as the first page of a source was read or couldn't be. What it throws
  ///     ends the reading.
  /// - Returns: What came of it, in the order of the sources.
  /// - Throws: What `report` throws, or `CancellationError`.
  func read(
    _ sources: [Source], report: (Reading) async throws -> Void
  ) async throws -> [Reading] {
    let resources = sources.map { resource($0.url) }
    var promises: [Int: Promise<Reading>] = [:]
    for await (index, result) in loader.loadAll(resources, concurrently: arguments.concurrency) {
      var reading = Reading(source: sources[index])
      switch result {
      case .success(let feed): reading.feed = feed
      case .failure(let error): reading.failure = error
      }
      try await report(reading)
      promises[index] = complete(reading)
    }
    try Task.checkCancellation()
    return try await settle(promises)
  }

  /// Follows a feed to its next page, and to that one's, until there are enough items to list.
  ///
  /// A promise is at home here: each load follows from the one before, the whole way is one value, and a
  /// failure on it is turned into what was read so far.
  func complete(_ reading: Reading) -> Promise<Reading> {
    guard let feed = reading.feed, let next = feed.nextPage, reading.pages < Self.pageLimit,
      feed.items.count < arguments.limit
    else { return .fulfilled(reading) }
    return loader.promise(for: resource(next, redirects: .never))
      .then { page in
        var reading = reading
        reading.feed = feed.followed(by: page)
        reading.pages += 1
        return complete(reading)
      }
      .recover { error in
        var reading = reading
        reading.failure = error
        return reading
      }
  }

  /// The feed at a URL.
  private func resource(
    _ url: URL, redirects: Request.RedirectPolicy? = nil
  ) -> Resource<Feed> {
    var request = Request(url: url)
    request.options.timeout = arguments.timeout
    request.options.redirects = redirects
    // What could stand in for a server that fails was read before, and is no news.
    request.options.cachePolicy = .freshOnly
    return Resource(feed: request)
  }

  private func settle(_ promises: [Int: Promise<Reading>]) async throws -> [Reading] {
    var readings: [Reading] = []
    for (_, promise) in promises.sorted(by: { $0.key < $1.key }) {
      // Nothing is left that could reject it but a cancellation of this task.
      readings.append(try await promise.value)
    }
    return readings
  }
}

/// The result of reading one source.
struct Reading: Sendable {
  /// The feed that was to be read.
  let source: Source

  /// The feed with as many of its pages as were needed; `nil` if not even the first could be read.
  var feed: Feed?

  /// The number of pages that were read.
  var pages = 1

  /// Why the feed, or a further page of it, couldn't be read.
  var failure: (any Error)?
}

extension Reading {
  /// The feed's title, else the name of the source.
  var name: String { source.name(titled: feed?.title) }
}

/// A feed that is to be read.
struct Source: Sendable, Equatable {
  /// The name until the feed's own title is known.
  var name: String

  /// The location.
  var url: URL
}

extension Source {
  /// A feed of which only the URL is known. Its name leaves out what may be secret.
  init(_ url: URL) {
    let path = url.path()
    self.init(name: (url.host() ?? "") + (path == "/" ? "" : path), url: url)
  }

  /// Returns the title as far as a list has room for it, or the name where there is no title.
  func name(titled title: String?) -> String {
    title.flatMap { PlainText.line($0)?.truncated(to: 100) } ?? name
  }
}
