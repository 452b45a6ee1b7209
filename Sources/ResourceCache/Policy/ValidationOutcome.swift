package import Foundation
package import ResourceLoading
import ResourcePrimitives

/// The outcome of revalidating a stored response (RFC 9111 section 4.3.3).
package enum ValidationOutcome: Sendable, Hashable {
  /// The response is still valid. The value is the updated response to store and use.
  case notModified(StoredResponse)
  /// The server failed, and the stored response may be used (RFC 5861 section 4).
  case staleAllowed(StoredResponse)
  /// The server has sent a new response.
  case replaced
  /// The 304 is for another response, so the request must be repeated without conditions.
  case mismatch

  /// Determines the outcome for a response of the server to a conditional request. `now` is when
  /// its head arrived.
  package init(
    of stored: StoredResponse, by response: Response, to request: Request, requestDate: Date,
    now: Date
  ) {
    if response.status == .notModified {
      guard stored.isMatch(for: response) else {
        self = .mismatch
        return
      }
      self = .notModified(
        stored.freshened(by: response, requestDate: requestDate, responseDate: now))
    } else if [500, 502, 503, 504].contains(response.status.rawValue),
      stored.mayBeUsedStale(after: .serverError, request, now: now)
    {
      self = .staleAllowed(stored)
    } else {
      self = .replaced
    }
  }
}

extension StoredResponse {
  package enum Failure: Sendable, Hashable {
    /// There was no response: no network, no server, or no time left.
    case disconnected
    /// The server responded with an error.
    case serverError
  }

  /// Returns whether it may be used stale after a failed revalidation.
  ///
  /// Without a network this is allowed unless a directive forbids it (RFC 9111 section 4.2.4).
  /// After a server error, `stale-if-error` of the response or the request must allow it (RFC 5861
  /// section 4).
  package func mayBeUsedStale(after failure: Failure, _ request: Request, now: Date) -> Bool {
    let asked = CacheControl(request.headers)
    guard ![.freshOnly, .reload].contains(request.options.cachePolicy) else { return false }
    guard !control.mustRevalidate, !control.noCache, !asked.noCache else { return false }
    let staleness = staleness(at: now)
    guard failure == .serverError else { return asked.minFresh == nil }
    return [control.staleIfError, asked.staleIfError].contains {
      $0.map { staleness <= $0 } ?? false
    }
  }
}

extension StoredResponse {
  /// Whether it must not be used without revalidation, so that there is no response without a
  /// network (RFC 9111 sections 5.2.2.2 and 5.2.2.4).
  var mustBeRevalidated: Bool { control.mustRevalidate || control.noCache }
}

// Updates of stored responses by a 304 or a `HEAD` (RFC 9111 section 4.3.4).
extension StoredResponse {
  /// Returns whether a 304 is for this response, which means that it has the same validator or
  /// none.
  func isMatch(for notModified: Response) -> Bool {
    // After other redirects, the validator belongs to another response.
    guard notModified.url == response.url else { return false }
    if let tag = notModified.headers[.eTag] {
      return response.headers[.eTag].map { $0.opaqueTag.hasSameBytes(as: tag.opaqueTag) } ?? false
    }
    guard let change = notModified.headers[.lastModified], response.headers[.eTag] == nil else {
      return true
    }
    return change == response.headers[.lastModified]
  }

  /// Returns whether a response to `HEAD` is for this response, which means that it has the same
  /// validators and length (section 4.3.5). A part has another length.
  func isConfirmed(byHead head: Response) -> Bool {
    let common = [Headers.Name.eTag, .lastModified, isPartial ? .eTag : .contentLength]
      .filter { head.headers[$0] != nil && response.headers[$0] != nil }
    return common.allSatisfy { head.headers[$0] == response.headers[$0] }
      && [.eTag, .lastModified].contains { common.contains($0) } && head.url == response.url
      && (response.status == .ok || isPartial)
  }

  /// Returns the stored response with the fields (section 3.2) and the age of a 304.
  func freshened(
    by notModified: Response, requestDate: Date, responseDate: Date
  ) -> StoredResponse {
    var fresh = response
    // The stored age and date belong to the earlier response. A 304 without a date was generated
    // when it arrived (RFC 9110 section 6.6.1); with the stored date, the response would be as
    // stale as before.
    fresh.headers[.age] = nil
    fresh.headers[.date] = nil
    let updates = notModified.headers.withoutExchangeFields
    for name in Set(updates.map(\.name)).subtracting(Self.bodyFields) {
      fresh.headers[name] = nil
      for value in updates.values(of: name) { fresh.headers.append(name, value) }
    }
    return StoredResponse(
      fresh, selectingHeaders: selectingHeaders, requestDate: requestDate,
      responseDate: responseDate, wasRedirected: wasRedirected)
  }

  /// Returns whether this response, with the fields of a newer one, can be stored in its place.
  ///
  /// A response that has left a group may have been removed with it in the meantime. What the first
  /// request had in fields that only the newer response names in `Vary` isn't known.
  func mayBecome(_ fresh: StoredResponse) -> Bool {
    groups.isSubset(of: fresh.groups) && Set(varyingNames).isSuperset(of: fresh.varyingNames)
  }

  /// The fields that describe the transferred body. A 304 has no body, and the stored one is
  /// decoded.
  private static let bodyFields: Set<Headers.Name> = [
    .contentLength, .contentEncoding, .contentRange, .contentType,
  ]
}
