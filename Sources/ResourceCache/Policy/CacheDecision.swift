package import Foundation
package import ResourceLoading

/// What a cache does with a request (RFC 9111 section 4).
package enum CacheDecision: Sendable, Hashable {
  /// Answers from what is stored and sends nothing.
  case serve(StoredResponse)
  /// Answers with what has been stale for a while, because the request or the response allows it, and sends
  /// nothing.
  case serveStale(StoredResponse)
  /// Answers with what has been stale for a while, and asks the server for next time (RFC 5861 section 3).
  case serveAndRevalidate(StoredResponse)
  /// Asks the server whether what is stored is still good.
  case revalidate(StoredResponse)
  /// Sends the request, since nothing is stored that could help.
  case send
  /// Fails: nothing may be sent, and nothing stored may be used (section 5.2.1.7).
  case refuse
}

extension CacheDecision {
  /// Decides.
  ///
  /// - Parameters:
  ///   - request: What is asked for, with the credentials that it will have.
  ///   - policy: How the program wants the cache to be used.
  ///   - stored: What is stored of its URL and its credential, in any order.
  ///   - now: The date.
  ///   - setBack: How far the clock had come when it was set back; what arrived until then isn't fresh, since its age
  ///     can't be told any more. `nil` if it wasn't.
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
    let isDatable = setBack.map { candidate.responseDate > $0 } ?? true
    switch Self.use(of: candidate, asked, now, isDatable).allowed(by: policy, candidate.control) {
    case .fresh: self = .serve(candidate)
    case .stale: self = .serveStale(candidate)
    // Nothing may be sent, not even for next time.
    case .staleMeanwhile: self = mayBeSent ? .serveAndRevalidate(candidate) : .serveStale(candidate)
    case .none where request.asksForChanges: self = mayBeSent ? .send : .refuse
    case .none: self = mayBeSent ? .revalidate(candidate) : .refuse
    }
  }

  /// Of those that fit the request, the one with the newest date.
  private static func newest(_ stored: [StoredResponse], _ request: Request) -> StoredResponse? {
    stored.filter { $0.isSelected(by: request) }
      .max { ($0.date, $0.responseDate) < ($1.date, $1.responseDate) }
  }

  private enum Use {
    case fresh, stale, staleMeanwhile, none

    /// The use that the program allows, whatever HTTP says.
    func allowed(by policy: Request.CachePolicy, _ control: CacheControl) -> Use {
      switch (policy, self) {
      case (.reload, .fresh): control.isImmutable ? .fresh : .none
      case (.reload, _): .none
      case (.standard, _), (.networkOnly, _), (_, .fresh): self
      case (.freshOnly, _): .none
      case (.cacheFirst, _), (.cacheOnly, _): .stale
      case (.staleWhileRevalidating, _): .staleMeanwhile
      }
    }
  }

  /// How a stored response may be used without asking (sections 4.2 and 5.2).
  private static func use(
    of stored: StoredResponse, _ asked: CacheControl, _ now: Date, _ isDatable: Bool
  ) -> Use {
    let control = stored.control
    let staleness = isDatable ? stored.staleness(at: now) : max(.zero, stored.staleness(at: now))
    guard !control.noCache, !asked.noCache, !stored.wasRedirected else { return .none }
    if let maxAge = asked.maxAge, stored.age(at: now) > maxAge { return .none }
    if let minFresh = asked.minFresh, staleness + minFresh > .zero { return .none }
    if staleness < .zero { return .fresh }
    guard !control.mustRevalidate else { return .none }
    if let maxStale = asked.maxStale, staleness <= maxStale { return .stale }
    if let grace = control.staleWhileRevalidate, staleness <= grace { return .staleMeanwhile }
    return .none
  }
}

extension Request {
  /// Whether a cache has a say: for a whole `GET` or `HEAD` with no conditions that only the server can judge.
  fileprivate var isForCache: Bool {
    [.get, .head].contains(method)
      && !headers.contains {
        [.range, .ifMatch, .ifUnmodifiedSince, .ifRange].contains($0.name)
      }
  }
}
