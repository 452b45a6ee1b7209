internal import Foundation
package import ResourceLoading
internal import ResourcePrimitives

// The caller's conditions (RFC 9110 section 13.1) that a cache may evaluate (RFC 9111 section
// 4.3.2).
extension Request {
  var asksForChanges: Bool {
    headers.contains { [.ifNoneMatch, .ifModifiedSince].contains($0.name) }
  }

  var withoutConditions: Request {
    var request = self
    request.headers[.ifNoneMatch] = nil
    request.headers[.ifModifiedSince] = nil
    return request
  }
}

extension StoredResponse {
  /// Returns whether the caller already has this response, according to its conditions (RFC 9110
  /// section 13.2.2).
  package func isUnmodified(for request: Request) -> Bool {
    // Conditions apply only if the response would be a success (section 13.2.1).
    guard response.status.isSuccess else { return false }
    if let tags = request.headers[.ifNoneMatch] { return isNamed(among: tags) }
    guard let since = request.headers.date(.ifModifiedSince, now: responseDate) else {
      return false
    }
    return (response.headers.date(.lastModified, now: responseDate) ?? date) <= since
  }

  /// Whether a list contains its entity tag, weak or strong, or is `*` (section 13.1.2).
  private func isNamed(among tags: String) -> Bool {
    if tags.trimmingSpaces() == "*" { return true }
    guard let tag = response.headers[.eTag]?.opaqueTag else { return false }
    // Tags can contain commas, so they are found by their quotes.
    let parts = tags.parts(between: "\"", omittingEmpty: false)
    return stride(from: 1, to: parts.count, by: 2).contains {
      tag.hasSameBytes(as: "\"\(parts[$0])\"")
    }
  }

  /// The 304 response for a caller that already has it (section 15.4.5).
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
  /// An entity tag without `W/` (RFC 9110 section 8.8.3.2).
  var opaqueTag: Substring {
    begins(with: "W/") ? Substring(unicodeScalars.dropFirst(2)) : self[...]
  }
}

extension Request {
  /// Returns the request with the validators of a stored response (RFC 9111 section 4.3.1).
  package func validating(_ response: Response) -> Request {
    var request = self
    if let tag = response.headers[.eTag] { request.headers[.ifNoneMatch] = tag }
    if let change = response.headers[.lastModified] { request.headers[.ifModifiedSince] = change }
    return request
  }
}
