extension Request {
  /// How a cache is used for a request. A client without a cache sends every request, but for those that may
  /// only be answered from one: they fail.
  ///
  /// Whatever the policy, a response is used only for the URL, the credential and the `Vary` fields that it
  /// was stored for.
  public enum CachePolicy: Sendable, Hashable {
    /// As HTTP has it: what is fresh is used, what isn't is revalidated (RFC 9111, RFC 5861).
    case standard
    /// As ``standard``, but nothing stale is ever used, neither while revalidating nor in place of an error.
    case freshOnly
    /// The server is asked, and so is every cache on the way (`max-age=0`), whether what is stored is still good;
    /// nothing stale is used. What the server calls `immutable` isn't asked about while it is fresh (RFC 8246). For
    /// "reload" in a user interface: what hasn't changed isn't sent again.
    case reload
    /// What is stored isn't used, and no conditions are sent; the response is stored.
    case networkOnly
    /// Whatever is stored is used, however old; the server is asked only if there is nothing.
    case cacheFirst
    /// Whatever is stored is used, however old. If there is nothing, the load fails with a ``LoadError`` of
    /// kind ``LoadError/Kind/notCached``; nothing is ever sent.
    case cacheOnly
    /// Whatever is stored is used, however old, and revalidated for next time unless it is fresh; the server is
    /// waited for only if there is nothing.
    case staleWhileRevalidating
  }
}

extension LoadError {
  /// The error where nothing may be sent, and nothing is stored that could be used.
  package static var notCached: LoadError {
    LoadError(
      .notCached, "nothing that could be used is in the cache, and nothing may be sent",
      advice: "Allow the network by another cachePolicy, or without only-if-cached")
  }
}
