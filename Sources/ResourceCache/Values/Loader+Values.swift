public import ResourceLoading

extension Loader {
  /// The value of a resource that is stored, at once, and then the fresh one.
  ///
  /// ```swift
  /// for try await feed in client.values(of: resource) { show(feed) }
  /// ```
  ///
  /// The stored value comes however old it is. The fresh one is left out if it is the same: the server said so by a
  /// 304, sent the same body again, or needn't be asked, since what is stored is fresh. If nothing is stored, or what
  /// is can't be parsed any more, the fresh one is the only one. While the caller looks at the first value, the
  /// second is being loaded.
  ///
  /// If the load of the fresh value fails, the loop has had the stored one, and then ends with the error; nothing
  /// stale stands in for it. Leaving the loop, or cancelling its task, cancels what is under way. Iterating again
  /// loads again.
  ///
  /// The loader needs an ``HTTPCache``; without one there is the fresh value alone. A request with one of the policies
  /// `networkOnly`, `cacheFirst` and `cacheOnly` has one value, which is what a load of it gives.
  ///
  /// - Parameter endpoint: What to load.
  /// - Returns: One value, or two.
  public func values<E: Endpoint>(of endpoint: E) -> ResourceValues<E.R> {
    ResourceValues(endpoint.resource, from: self)
  }

  /// Loads so that it is in the cache when it is wanted; nothing is parsed. What is there and fresh isn't loaded
  /// again.
  ///
  /// ```swift
  /// let failures = await client.prefetch(feeds, concurrently: 4)
  /// ```
  ///
  /// If the calling task is cancelled, what is under way is, too, and nothing more begins.
  ///
  /// - Parameters:
  ///   - endpoints: What to load; they are begun in this order.
  ///   - concurrently: How many loads are under way at most, at least 1.
  /// - Returns: Those that failed, in the order in which they did: the 0-based position, and a `LoadError`. One failure
  ///   doesn't stop the others.
  @discardableResult
  public func prefetch<S: Sequence>(
    _ endpoints: S, concurrently: Int = 4
  ) async -> [(index: Int, error: any Error)] where S.Element: Endpoint {
    let resources = endpoints.map { endpoint in
      Resource<Void>(endpoint.resource.request) { _ in }
    }
    var failures: [(Int, any Error)] = []
    for await (index, result) in loadAll(resources, concurrently: concurrently) {
      if case .failure(let error) = result { failures.append((index, error)) }
    }
    return failures
  }
}
