package import Foundation
import ResourcePrimitives

/// The invalidation of earlier responses by unsafe requests (RFC 9111 section 4.4).
package enum Invalidation {
  /// Returns the URLs whose earlier responses are invalid.
  ///
  /// They are that of the request, that which redirects led to, and those in `Location` and
  /// `Content-Location`, as long as they have the same origin, so that a server can't remove the
  /// responses of another.
  package static func urls(after response: Response, to request: Request) -> [URL] {
    guard !request.method.isSafe, (200..<400).contains(response.status.rawValue) else {
      return []
    }
    let url = request.url.absoluteURL
    let named = [Headers.Name.location, .contentLocation].flatMap { name in
      response.headers.values(of: name).compactMap { URL(reference: $0, from: response.url) }
    }
    return [url] + ([response.url] + named).filter { $0.isSameOrigin(as: url) && $0 != url }
  }
}
