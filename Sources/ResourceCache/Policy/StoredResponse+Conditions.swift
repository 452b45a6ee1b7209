internal import Foundation
package import ResourceLoading

/// The conditions that a caller has put into a request itself (RFC 9110 section 13.1), as far as a cache may judge
/// them by what is stored (RFC 9111 section 4.3.2).
extension Request {
  /// Whether the request asks by itself whether something has changed.
  var asksForChanges: Bool {
    headers.contains { [.ifNoneMatch, .ifModifiedSince].contains($0.name) }
  }

  /// The request without those conditions.
  var withoutConditions: Request {
    var request = self
    request.headers[.ifNoneMatch] = nil
    request.headers[.ifModifiedSince] = nil
    return request
  }
}

extension StoredResponse {
  /// Returns whether the caller has this response already, by the conditions of its request (RFC 9110 section 13.2.2).
  package func isKnown(to request: Request) -> Bool {
    // Section 13.2.1: conditions count only where the answer would be a success.
    guard response.status.isSuccess else { return false }
    if let tags = request.headers[.ifNoneMatch] { return isNamed(among: tags) }
    guard let since = request.headers.date(.ifModifiedSince, now: responseDate) else {
      return false
    }
    return (response.headers.date(.lastModified, now: responseDate) ?? date) <= since
  }

  /// Whether a list has its entity tag, weak or not, or is `*` (section 13.1.2).
  private func isNamed(among tags: String) -> Bool {
    if tags.trimmed == "*" { return true }
    guard let tag = response.headers[.eTag]?.opaqueTag else { return false }
    // Tags may have commas in them; what stands between quotes is one.
    let parts = tags.split(separator: "\"", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count, by: 2).contains { "\"\(parts[$0])\"" == tag }
  }

  /// The response that tells a caller so (section 15.4.5).
  var notModified: Response {
    var answer = response
    (answer.status, answer.body) = (.notModified, Data())
    for field in response.headers where !Self.fieldsOfNotModified.contains(field.name) {
      answer.headers[field.name] = nil
    }
    return answer
  }

  private static let fieldsOfNotModified: Set<Headers.Name> = [
    .cacheControl, .contentLocation, .date, .eTag, .expires, .vary, .lastModified,
  ]
}

extension String {
  /// An entity tag without the mark of a weak one (RFC 9110 section 8.8.3.2).
  var opaqueTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}

extension Request {
  /// The request with the validators of a stored response, both if it has both (RFC 9111 section 4.3.1).
  package func validating(_ response: Response) -> Request {
    var request = self
    if let tag = response.headers[.eTag] { request.headers[.ifNoneMatch] = tag }
    if let change = response.headers[.lastModified] { request.headers[.ifModifiedSince] = change }
    return request
  }
}
