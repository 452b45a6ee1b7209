package import ResourceLoading

/// Decides which responses may be stored (RFC 9111 section 3).
package enum StoringRule {
  /// Returns whether a private cache may store a response.
  ///
  /// Only responses to `GET` and `QUERY` are stored: complete ones, and parts for a `GET`.
  /// `Authorization` doesn't prevent it, because each credential has a partition of its own.
  package static func mayStore(_ response: Response, to request: Request) -> Bool {
    guard [.get, .query].contains(request.method), response.method == request.method,
      request.headers[.range] == nil
        ? isComplete(response.status) : mayStoreRange(response, to: request)
    else { return false }
    let control = CacheControl(response.headers)
    // `must-understand` replaces `no-store` if the status is understood, and forbids storing
    // otherwise (section 5.2.2.3).
    let isForbidden = control.mustUnderstand ? !isUnderstood(response.status) : control.noStore
    guard !isForbidden, !CacheControl(request.headers).noStore else { return false }
    guard !response.headers.variesByEverything, !response.mayBeTruncated(for: request),
      !response.isInCoding(of: request)
    else { return false }
    return control.isPublic || control.isPrivate || control.maxAge != nil
      || response.headers[.expires] != nil || response.status.isHeuristicallyCacheable
  }

  /// Returns whether a response may be stored after redirects. It may not if one of them has
  /// `no-store`.
  package static func mayStore(after redirects: [ResponseHead]) -> Bool {
    !redirects.contains { CacheControl($0.headers).noStore }
  }

  /// Whether the cache implements the requirements of a status: those of RFC 9110 section 15, and
  /// some others.
  private static func isUnderstood(_ status: Status) -> Bool {
    [200..<209, 300..<309, 400..<432, 451..<452, 500..<512].contains {
      $0.contains(status.rawValue)
    }
  }

  /// Whether the response to a request for ranges is complete, or one range whose positions are
  /// known.
  private static func mayStoreRange(_ response: Response, to request: Request) -> Bool {
    switch response.status {
    case .ok: true
    case .partialContent:
      request.method == .get && RequestedRange(request.headers) != nil && response.heldBytes != nil
    default: false
    }
  }

  /// Whether a response is final and complete, and not only for its request. A 206 is a part, a 304
  /// refers to another response, a 412 to the conditions of its request, and RFC 6585 forbids
  /// storing 428, 429, 431 and 511.
  private static func isComplete(_ status: Status) -> Bool {
    (200..<600).contains(status.rawValue)
      && ![206, 304, 412, 428, 429, 431, 511].contains(status.rawValue)
  }
}

extension Response {
  /// Whether its body may be truncated, as it is for statuses that the request doesn't accept.
  fileprivate func mayBeTruncated(for request: Request) -> Bool {
    let accepted = request.options.acceptedStatuses ?? .successful
    return !accepted.contains(status) && body.count >= ResponseHead.maximumErrorBodySize
  }

  /// Returns whether its body may be in a coding that only this request asked for. Other requests
  /// can't use it, and `Vary` doesn't say so.
  fileprivate func isInCoding(of request: Request) -> Bool {
    request.headers[.acceptEncoding] != nil && headers[.contentEncoding] != nil
      && !headers.varyingNames.contains(.acceptEncoding)
  }
}
