package import Foundation
import ResourcePrimitives

/// The invalidation of earlier responses by unsafe requests (RFC 9111 section 4.4).
package enum Invalidation {
  /// Returns the URLs whose earlier responses are invalid.
  ///
  /// They are that of the request, those which redirects led to, and those in `Location` and
  /// `Content-Location`, as long as they have the same origin, so that a server can't remove the
  /// responses of another. A redirect is a success of the request, whatever its target responds.
  package static func urls(after response: Response, to request: Request) -> [URL] {
    guard !request.method.isSafe else { return [] }
    let redirecting = response.provenance?.identities.dropLast().map(\.target) ?? []
    let isSuccess = (200..<400).contains(response.status.rawValue)
    guard isSuccess || !redirecting.isEmpty else { return [] }
    let url = request.url.absoluteURL
    let others = redirecting + (isSuccess ? [response.url] + response.namedURLs : [])
    return [url] + others.filter { $0.isSameOrigin(as: url) && $0 != url }
  }

  /// Returns the responses to an unsafe request, with the URLs that have sent them: redirects, and
  /// the last one unless a redirect has led to a safe request.
  package static func responses(
    endingWith last: Response, to request: Request
  ) -> [(url: URL, head: ResponseHead)] {
    guard !request.method.isSafe else { return [] }
    let provenance = last.provenance
    let redirects = zip(provenance?.identities ?? [], provenance?.redirects ?? [])
      .map { (url: $0.target, head: $1) }
    let change = redirects.firstIndex { $0.head.status.leadsToGet(request.method) }
    if let change { return Array(redirects[...change]) }
    let head = ResponseHead(status: last.status, headers: last.headers)
    return redirects + [(url: last.url, head: head)]
  }
}

extension Response {
  /// The URLs in `Location` and `Content-Location`.
  fileprivate var namedURLs: [URL] {
    [Headers.Name.location, .contentLocation].flatMap { name in
      headers.values(of: name).compactMap { URL(reference: $0, from: url) }
    }
  }
}

extension Status {
  /// Whether a redirect turns a request into a `GET` (RFC 9110 section 15.4): 301 and 302 a `POST`,
  /// and 303 everything except `HEAD`.
  func leadsToGet(_ method: Request.Method) -> Bool {
    switch rawValue {
    case 301, 302: method == .post
    case 303: method != .head && method != .get
    default: false
    }
  }
}
