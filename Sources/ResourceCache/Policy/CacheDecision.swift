package import Foundation
package import ResourceLoading

/// What a cache does with a request (RFC 9111 section 4).
package enum CacheDecision: Sendable, Hashable {
  /// Use a fresh response.
  case serve(StoredResponse)
  /// Use a stale response, which the request or the response allows.
  case serveStale(StoredResponse)
  /// Use a stale response, and revalidate it in the background (RFC 5861 section 3).
  case serveAndRevalidate(StoredResponse)
  /// Revalidate a response before it is used.
  case revalidate(StoredResponse)
  /// Request the rest of a stored part, which answers the request together with it (section 3.3).
  case complete(StoredResponse, RequestedRange)
  /// Send the request, because no stored response can be used.
  case send
  /// Fail, because no stored response may be used and no request may be sent (section 5.2.1.7).
  case refuse
}

extension CacheDecision {
  /// Decides what to do with a request, given with the credentials that it will have, from the
  /// stored variants of its URL and partition. `setBack` is the date from which the clock was set
  /// back: the age of a response that arrived before it is unknown, so it isn't fresh.
  package init(
    _ request: Request, policy: Request.CachePolicy = .standard, stored: [StoredResponse],
    now: Date, setBackFrom setBack: Date? = nil
  ) {
    let asked = CacheControl(request.headers)
    let mayBeSent = !asked.onlyIfCached && policy != .cacheOnly
    guard request.isForCache, policy != .networkOnly,
      let candidate = Self.newest(stored, request)
    else {
      self = mayBeSent ? .send : .refuse
      return
    }
    switch candidate.coverage(of: request) {
    case .whole, .bytes: break
    case .allBut(let rest) where mayBeSent && policy != .reload && !request.asksForChanges:
      self = .complete(candidate, rest)
      return
    case .allBut, .nothing:
      self = mayBeSent ? .send : .refuse
      return
    }
    switch Self.use(of: candidate, asked, now, setBack).allowed(by: policy, candidate.control) {
    case .fresh: self = .serve(candidate)
    case .stale: self = .serveStale(candidate)
    // `only-if-cached` forbids revalidation in the background too.
    case .staleMeanwhile: self = mayBeSent ? .serveAndRevalidate(candidate) : .serveStale(candidate)
    case .revalidated where request.asksForChanges: self = mayBeSent ? .send : .refuse
    case .revalidated: self = mayBeSent ? .revalidate(candidate) : .refuse
    }
  }

  /// Whether a stored response is used at once.
  package var usesStored: Bool {
    switch self {
    case .serve, .serveStale, .serveAndRevalidate: true
    case .revalidate, .complete, .send, .refuse: false
    }
  }

  private static func newest(_ stored: [StoredResponse], _ request: Request) -> StoredResponse? {
    stored.filter { $0.isSelected(by: request) && !$0.isToBeFollowed(by: request) }
      .max { ($0.date, $0.responseDate) < ($1.date, $1.responseDate) }
  }

  fileprivate static func plainUse(
    of stored: StoredResponse, _ now: Date, _ setBack: Date?
  ) -> StoredUse {
    use(of: stored, CacheControl(Headers()), now, setBack)
  }

  /// The use that HTTP allows without revalidation (sections 4.2 and 5.2).
  private static func use(
    of stored: StoredResponse, _ asked: CacheControl, _ now: Date, _ setBack: Date?
  ) -> StoredUse {
    let control = stored.control
    let isDatable = setBack.map { stored.responseDate > $0 } ?? true
    let staleness = isDatable ? stored.staleness(at: now) : max(.zero, stored.staleness(at: now))
    guard !control.noCache else { return .revalidated(.noCache) }
    guard !stored.wasRedirected else { return .revalidated(.redirect) }
    guard !asked.noCache else { return .revalidated(.request) }
    if let maxAge = asked.maxAge, stored.age(at: now) > maxAge { return .revalidated(.request) }
    if let minFresh = asked.minFresh, staleness + minFresh > .zero {
      return .revalidated(.request)
    }
    if staleness < .zero { return .fresh }
    guard !control.mustRevalidate else { return .revalidated(.mustRevalidate) }
    if let maxStale = asked.maxStale, staleness <= maxStale { return .stale }
    if let grace = control.staleWhileRevalidate, staleness <= grace { return .staleMeanwhile }
    return .revalidated(.stale)
  }
}

/// How a stored response may be used.
package enum StoredUse: Sendable, Hashable {
  case fresh
  /// Although it is stale, because the request allows that.
  case stale
  /// Although it is stale, while it is revalidated in the background.
  case staleMeanwhile
  /// Only after it was revalidated.
  case revalidated(Reason)

  /// Why it has to be revalidated.
  package enum Reason: Sendable, Hashable {
    /// `no-cache` of the response.
    case noCache
    /// The request was redirected, and the redirects may have changed.
    case redirect
    /// The directives or the policy of the request.
    case request
    /// It is stale, and has `must-revalidate`.
    case mustRevalidate
    /// It is stale.
    case stale
  }
}

extension StoredUse {
  fileprivate func allowed(
    by policy: Request.CachePolicy, _ control: CacheControl
  ) -> StoredUse {
    switch (policy, self) {
    case (.reload, .fresh): control.isImmutable ? .fresh : .revalidated(.request)
    case (.reload, _): .revalidated(.request)
    case (.standard, _), (.networkOnly, _), (_, .fresh): self
    case (.freshOnly, _): .revalidated(.request)
    case (.cacheFirst, _), (.cacheOnly, _): .stale
    case (.staleWhileRevalidating, _): .staleMeanwhile
    }
  }
}

extension StoredResponse {
  /// Returns how a request without directives of its own may use it.
  package func use(at now: Date, setBackFrom setBack: Date?) -> StoredUse {
    CacheDecision.plainUse(of: self, now, setBack)
  }
}

extension StoredResponse {
  /// Returns whether it is a redirect that was stored for a request which doesn't follow them,
  /// while this request does.
  fileprivate func isToBeFollowed(by request: Request) -> Bool {
    [301, 302, 303, 307, 308].contains(response.status.rawValue)
      && response.headers[.location] != nil
      && request.options.redirects.map { $0.maximum > 0 } ?? true
  }
}

extension Request {
  /// Whether a cache may answer: a `GET`, `HEAD` or `QUERY` without several ranges and conditions
  /// that only the server can evaluate.
  fileprivate var isForCache: Bool {
    guard [.get, .head, .query].contains(method),
      !headers.contains(where: { [.ifMatch, .ifUnmodifiedSince].contains($0.name) })
    else { return false }
    return headers[.range] == nil || method == .get && RequestedRange(headers) != nil
  }
}
