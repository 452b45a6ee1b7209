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
  case serveAndRevalidate(StoredResponse, Request)
  /// Asks the server whether what is stored is still good; `Request` has the validators that there are.
  case revalidate(StoredResponse, Request)
  /// Sends the request, since nothing is stored that could help.
  case send
  /// Fails: nothing may be sent, and nothing stored may be used (section 5.2.1.7).
  case refuse
}

extension CacheDecision {
  /// Decides.
  ///
  /// - Parameters:
  ///   - request: What is asked for.
  ///   - stored: What is stored of its URL and its credential, in any order.
  ///   - now: The date.
  package init(_ request: Request, stored: [StoredResponse], now: Date) {
    let asked = CacheControl(request.headers)
    guard request.isForCache, let candidate = Self.newest(stored, request) else {
      self = asked.onlyIfCached ? .refuse : .send
      return
    }
    let use = Self.use(of: candidate, asked, now)
    let conditional = request.validating(candidate.response)
    switch use {
    case .fresh: self = .serve(candidate)
    case .stale: self = .serveStale(candidate)
    // Nothing may be sent, not even for next time.
    case .staleMeanwhile where asked.onlyIfCached: self = .serveStale(candidate)
    case .staleMeanwhile: self = .serveAndRevalidate(candidate, conditional)
    case .none: self = asked.onlyIfCached ? .refuse : .revalidate(candidate, conditional)
    }
  }

  /// Of those that fit the request, the one with the newest date.
  private static func newest(_ stored: [StoredResponse], _ request: Request) -> StoredResponse? {
    stored.filter { $0.isSelected(by: request) }
      .max { ($0.date, $0.responseDate) < ($1.date, $1.responseDate) }
  }

  private enum Use {
    case fresh, stale, staleMeanwhile, none
  }

  /// How a stored response may be used without asking (sections 4.2 and 5.2).
  private static func use(of stored: StoredResponse, _ asked: CacheControl, _ now: Date) -> Use {
    let control = stored.control
    let staleness = stored.staleness(at: now)
    guard !control.noCache, !asked.noCache else { return .none }
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
  /// Whether a cache has a say: for a whole `GET` that isn't conditional by its caller's own doing.
  fileprivate var isForCache: Bool {
    method == .get
      && [.range, .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange]
        .allSatisfy { (name: Headers.Name) in headers[name] == nil }
  }
}
