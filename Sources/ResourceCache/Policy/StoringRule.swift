package import Foundation
package import ResourceLoading

/// Which responses may be kept (RFC 9111 section 3).
package enum StoringRule {
  /// Whether a private cache may keep a response.
  ///
  /// Only whole answers to `GET` are kept. `Authorization` doesn't forbid it, because each credential has a
  /// part of the cache of its own.
  package static func mayStore(_ response: Response, to request: Request) -> Bool {
    guard request.method == .get, response.method == .get,
      request.headers[.range] == nil, isKnown(response.status)
    else { return false }
    let control = CacheControl(response.headers)
    // Section 5.2.2.3: who understands the status may leave `no-store` aside, and nobody else may store.
    let isForbidden = control.mustUnderstand ? !isUnderstood(response.status) : control.noStore
    guard !isForbidden, !CacheControl(request.headers).noStore else { return false }
    guard !response.headers.variesByEverything, !response.mayBeCut(for: request) else {
      return false
    }
    return control.isPublic || control.isPrivate || control.maxAge != nil
      || response.headers[.expires] != nil || response.status.isHeuristicallyCacheable
  }

  /// Whether a response that came by redirects may be kept: not if one of them mustn't be.
  package static func mayStore(after redirects: [ResponseHead]) -> Bool {
    !redirects.contains { CacheControl($0.headers).noStore }
  }

  /// Whether what the status asks of caches is known and done: those of RFC 9110 section 15, and a few others.
  private static func isUnderstood(_ status: Status) -> Bool {
    [200..<209, 300..<309, 400..<432, 451..<452, 500..<512].contains {
      $0.contains(status.rawValue)
    }
  }

  /// Final, and whole: 206 holds a part, and 304 is about another response.
  private static func isKnown(_ status: Status) -> Bool {
    (200..<600).contains(status.rawValue) && ![206, 304].contains(status.rawValue)
  }
}

extension Response {
  /// Whether only the beginning of its body may have been kept, since it isn't what the request accepts.
  fileprivate func mayBeCut(for request: Request) -> Bool {
    let accepted = request.options.acceptedStatuses ?? .successful
    return !accepted.contains(status) && body.count >= ResponseHead.maximumErrorBodySize
  }
}

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
