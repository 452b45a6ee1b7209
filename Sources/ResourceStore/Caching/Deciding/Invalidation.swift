package import Foundation
package import ResourceLoading

/// What an unsafe request makes useless (RFC 9111 section 4.4).
package enum Invalidation {
  /// The URLs of which nothing stored may be used any more.
  ///
  /// The request's own; and those that `Location` and `Content-Location` name, if they are of the same origin,
  /// so that nobody can clear another's.
  package static func urls(after response: Response, to request: Request) -> [URL] {
    guard isUnsafe(request.method), (200..<400).contains(response.status.rawValue) else {
      return []
    }
    let url = request.url.absoluteURL
    let named = [Headers.Name.location, .contentLocation].flatMap { name in
      response.headers.values(of: name).compactMap { URL(reference: $0, from: url) }
    }
    return [url] + named.filter { $0.isSameOrigin(as: url) && $0 != url }
  }

  /// All methods but those of RFC 9110 section 9.2.1; unknown ones are unsafe.
  static func isUnsafe(_ method: Request.Method) -> Bool {
    !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method.rawValue)
  }
}
