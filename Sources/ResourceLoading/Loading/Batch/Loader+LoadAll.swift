extension Loader {
  /// Loads many endpoints, a bounded number of them at once, and gives each result as soon as it is there.
  ///
  /// ```swift
  /// for await (index, result) in loader.loadAll(feeds, concurrently: 4) {
  ///   print(index, result)
  /// }
  /// ```
  ///
  /// Nothing is loaded before the sequence is iterated; iterating it again loads again. Leaving the loop, or
  /// cancelling the task it runs in, cancels the loads under way and starts no more. One failure doesn't stop
  /// the others.
  ///
  /// ``LoadAll/onProgress(_:)`` tells how many are done, of how many.
  ///
  /// - Parameters:
  ///   - endpoints: What to load; they are started in this order.
  ///   - concurrently: How many loads are under way at most, at least 1. At most as many finished results
  ///     wait for the loop before further loads are held back.
  /// - Returns: The results in the order in which they finish, each with its endpoint's 0-based position.
  public func loadAll<S: Sequence>(
    _ endpoints: S, concurrently: Int = 8
  ) -> LoadAll<S.Element.R> where S.Element: Endpoint {
    precondition(concurrently > 0, "loadAll needs room for at least one load at a time")
    return LoadAll(endpoints.map(\.resource), width: concurrently) { try await load($0) }
  }
}
