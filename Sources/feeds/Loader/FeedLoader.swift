import Foundation
import PromiseModule
import ResourceFeeds
import ResourceLoading

/// Loads many feeds at once, each with as many pages as are needed.
struct FeedLoader: Sendable {
  let loader: any Loader
  let arguments: Arguments

  /// The most pages of one feed, since a server can link to next ones forever.
  private static let pageLimit = 5

  /// Loads all feeds; none stops the others.
  ///
  /// By `loadAll`: the feeds are many and independent of each other, and each is reported as it arrives. Their further
  /// pages are loaded by promise: such a load begins in a loop that doesn't wait for it, and is awaited at the end.
  ///
  /// - Parameter report: Called when the first page of a feed has arrived or failed.
  /// - Returns: The feeds in the order of the sources.
  /// - Throws: What `report` throws, or `CancellationError`.
  func load(
    _ sources: [FeedSource], report: (LoadedFeed) async throws -> Void
  ) async throws -> [LoadedFeed] {
    let resources = sources.map { resource($0.url) }
    var promises: [Int: Promise<LoadedFeed>] = [:]
    for await (index, result) in loader.loadAll(resources, concurrently: arguments.concurrency) {
      var loaded = LoadedFeed(source: sources[index])
      switch result {
      case .success(let feed): loaded.feed = feed
      case .failure(let error): loaded.failure = error
      }
      try await report(loaded)
      promises[index] = complete(loaded)
    }
    try Task.checkCancellation()
    var feeds: [LoadedFeed] = []
    for (_, promise) in promises.sorted(by: { $0.key < $1.key }) {
      feeds.append(try await promise.value)
    }
    return feeds
  }

  /// Follows a feed to its next page, and from there on, until there are enough items to list.
  ///
  /// By promise: each load follows from the one before, all of them are one value, and a failure becomes part of what
  /// was loaded so far.
  private func complete(_ loaded: LoadedFeed) -> Promise<LoadedFeed> {
    guard let feed = loaded.feed, let next = feed.nextPage, loaded.pages < Self.pageLimit,
      feed.items.count < arguments.limit
    else { return .fulfilled(loaded) }
    return loader.promise(for: resource(next, redirects: .never))
      .then { page in
        var loaded = loaded
        loaded.feed = feed.followed(by: page)
        loaded.pages += 1
        return complete(loaded)
      }
      .recover { error in
        var loaded = loaded
        loaded.failure = error
        return loaded
      }
  }

  /// Returns the resource of a feed whose readings are to follow each other.
  func followedResource(_ url: URL) -> Resource<Feed> {
    var request = Request(url: url)
    request.options.timeout = arguments.timeout
    return Resource(feed: request)
  }

  private func resource(
    _ url: URL, redirects: Request.RedirectPolicy? = nil
  ) -> Resource<Feed> {
    var resource = followedResource(url)
    resource.request.options.redirects = redirects
    // A stale response of a server that fails was read before and is no news.
    resource.request.options.cachePolicy = .freshOnly
    return resource
  }
}

/// A feed that was loaded, or the error why it wasn't.
struct LoadedFeed: Sendable {
  let source: FeedSource
  /// The feed with its pages; `nil` if the first couldn't be loaded.
  var feed: Feed?
  var pages = 1
  /// Why the feed, or a further page of it, couldn't be loaded.
  var failure: (any Error)?

  var name: String { source.name(titled: feed?.title) }
}
