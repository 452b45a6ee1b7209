extension Response {
  /// Where a response came from. More may come: a `switch` needs an `@unknown default`.
  @nonexhaustive public enum Source: Sendable {
    /// From the server, just now.
    case network
    /// From a cache, without asking the server: it is this old, and fresh (RFC 9111 section 4.2).
    case cache(age: Duration)
    /// From a cache: the server said just now, by a 304, that it is still good.
    case revalidated
    /// From a cache, though it isn't fresh any more: it is this old, and was used for this reason.
    case stale(age: Duration, because: StaleReason)
  }

  /// Why a response was used that isn't fresh. More may come: a `switch` needs an `@unknown default`.
  @nonexhaustive public enum StaleReason: Sendable {
    /// The request allows it: by `max-stale`, or by its ``Request/CachePolicy``.
    case allowed
    /// The server is being asked for next time (RFC 5861 section 3).
    case revalidating
    /// The server can't be reached, or can't answer (RFC 9111 section 4.2.4, RFC 5861 section 4).
    // Indirect, since every response has room for it and hardly one has it.
    indirect case failed(LoadError)
  }

  /// Where it came from. No part of the answer: responses are compared by what the server sent.
  ///
  /// A parser of one's own sees it, and so does whoever is told of events, see
  /// ``LoadEvent/Kind/fromCache(_:)``.
  public var source: Source {
    get { tools.source }
    set { tools.source = newValue }
  }
}

extension Response.Source: CustomStringConvertible {
  /// In a few words, without secrets.
  public var description: String {
    switch self {
    case .network: "from the server"
    case .cache(let age): "from the cache, \(age.brief) old"
    case .revalidated: "from the cache, still good"
    case .stale(let age, let reason): "from the cache, \(age.brief) old, \(reason)"
    }
  }
}

extension Response.StaleReason: CustomStringConvertible {
  /// In a few words, without secrets.
  public var description: String {
    switch self {
    case .allowed: "stale as the request allows"
    case .revalidating: "stale while revalidating"
    case .failed(let error): "stale because of an error: \(error.kind): \(error.reason)"
    }
  }
}
