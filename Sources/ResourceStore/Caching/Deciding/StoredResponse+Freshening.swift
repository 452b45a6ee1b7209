internal import Foundation
internal import ResourceLoading

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
