package import Foundation
package import ResourceLoading

/// What comes of having asked whether a stored response is still good (RFC 9111 section 4.3.3).
package enum ValidationOutcome: Sendable, Hashable {
  /// It is: this is what it has become, to be stored and to be answered with.
  case isGood(StoredResponse)
  /// The server failed, and what is stored may stand in (RFC 5861 section 4).
  case standIn(StoredResponse)
  /// The server's response is the answer.
  case isReplaced
  /// The server says that something else is still good: ask again without conditions.
  case isMistaken

  /// Decides by a response.
  ///
  /// - Parameters:
  ///   - stored: What was asked about.
  ///   - response: What the server answered.
  ///   - request: What the caller had asked for.
  ///   - requestDate: When the question was sent.
  ///   - now: When the answer's head arrived.
  package init(
    of stored: StoredResponse, by response: Response, to request: Request, requestDate: Date,
    now: Date
  ) {
    if response.status == .notModified {
      guard stored.isMeant(by: response) else {
        self = .isMistaken
        return
      }
      self = .isGood(stored.freshened(by: response, requestDate: requestDate, responseDate: now))
    } else if [500, 502, 503, 504].contains(response.status.rawValue),
      stored.mayStandIn(for: .serverError, request, now: now)
    {
      self = .standIn(stored)
    } else {
      self = .isReplaced
    }
  }
}

extension StoredResponse {
  /// Why the server's own answer can't be had.
  package enum Absence: Sendable, Hashable {
    /// There was no response: no network, no server, no time left.
    case disconnected
    /// The server answered that it can't.
    case serverError
  }

  /// Whether it may be used, stale as it may be, since there is nothing better.
  ///
  /// Without a network everything may that nobody has forbidden (RFC 9111 section 4.2.4). For a server that
  /// fails, `stale-if-error` has to allow it, of the response or of the request (RFC 5861 section 4).
  package func mayStandIn(for absence: Absence, _ request: Request, now: Date) -> Bool {
    let asked = CacheControl(request.headers)
    guard ![.freshOnly, .reload].contains(request.options.cachePolicy) else { return false }
    guard !control.mustRevalidate, !control.noCache, !asked.noCache else { return false }
    let staleness = staleness(at: now)
    guard absence == .serverError else { return asked.minFresh == nil }
    return [control.staleIfError, asked.staleIfError].contains {
      $0.map { staleness <= $0 } ?? false
    }
  }
}

/// What a 304 does to what is stored (RFC 9111 section 4.3.4).
extension StoredResponse {
  /// Whether a 304 speaks of this response: it has its validator, or none at all.
  func isMeant(by notModified: Response) -> Bool {
    // Redirects that lead elsewhere than they did make it the validator of something else.
    guard notModified.url == response.url else { return false }
    if let tag = notModified.headers[.eTag] {
      return response.headers[.eTag].map { $0.opaqueTag == tag.opaqueTag } ?? false
    }
    guard let change = notModified.headers[.lastModified], response.headers[.eTag] == nil else {
      return true
    }
    return change == response.headers[.lastModified]
  }

  /// Whether a response to `HEAD` speaks of this response: whatever it tells of validators and length is the same
  /// (section 4.3.5).
  func isConfirmed(byHead head: Response) -> Bool {
    let told = [Headers.Name.eTag, .lastModified, .contentLength]
      .filter { head.headers[$0] != nil && response.headers[$0] != nil }
    return told.allSatisfy { head.headers[$0] == response.headers[$0] }
      && [.eTag, .lastModified].contains { told.contains($0) } && head.url == response.url
      && response.status == .ok
  }

  /// The stored response with the fields of the 304 in place of its own (section 3.2), as old as the 304 is.
  func freshened(
    by notModified: Response, requestDate: Date, responseDate: Date
  ) -> StoredResponse {
    var fresh = response
    // An age that the 304 doesn't repeat was that of an earlier journey. So was a date: what comes without one
    // is from when it arrived (RFC 9110 section 6.6.1), or it would be as stale as before.
    fresh.headers[.age] = nil
    fresh.headers[.date] = nil
    let news = notModified.headers.withoutExchangeFields
    for name in Set(news.map(\.name)).subtracting(Self.describingTheBody) {
      fresh.headers[name] = nil
      for value in news.values(of: name) { fresh.headers.append(name, value) }
    }
    return StoredResponse(
      fresh, selectingHeaders: selectingHeaders, requestDate: requestDate,
      responseDate: responseDate, wasRedirected: wasRedirected)
  }

  /// What speaks of the bytes that were sent, which are none now, and had been decoded then.
  private static let describingTheBody: Set<Headers.Name> = [
    .contentLength, .contentEncoding, .contentRange, .contentType,
  ]
}
