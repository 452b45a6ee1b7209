package import Foundation
internal import ResourceLoading

// Age and freshness (RFC 9111 section 4.2).
extension StoredResponse {
  /// Returns the age (section 4.2.3). If the clock was set back since the response arrived, it is at least the age at
  /// arrival.
  package func age(at now: Date) -> Duration {
    metadata.initialAge + max(.zero, now.since(responseDate))
  }

  /// The time for which it is fresh (section 4.2.1), explicit or heuristic.
  package var freshnessLifetime: Duration { metadata.lifetime }

  /// Returns the time for which it has been stale; negative while it is fresh.
  ///
  /// A response that arrived in the future, by more than a second, isn't fresh, because the clock was set back.
  package func staleness(at now: Date) -> Duration {
    let staleness = age(at: now) - freshnessLifetime
    return responseDate.since(now) > .seconds(1) ? max(staleness, .zero) : staleness
  }
}

extension Status {
  /// Whether a response is cacheable by default (RFC 9110 section 15.1).
  var isHeuristicallyCacheable: Bool {
    [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(rawValue)
  }
}

extension Date {
  /// Returns the time since another date, up to 3,000 years.
  func since(_ other: Date) -> Duration {
    // Longer times would overflow.
    .seconds(min(max(timeIntervalSince(other), -1e11), 1e11))
  }
}

/// The parsed headers of a stored response, for repeated use.
struct CachingMetadata: Sendable, Hashable {
  let control: CacheControl
  /// When the server generated it (RFC 9110 section 6.6.1).
  let date: Date
  /// The age at arrival (RFC 9111 section 4.2.3).
  let initialAge: Duration
  /// The time for which it is fresh (section 4.2.1).
  let lifetime: Duration
  /// The request fields that `Vary` names (section 4.1).
  let varyingNames: [Headers.Name]

  init(_ response: Response, requestDate: Date, responseDate: Date) {
    let headers = response.headers
    control = CacheControl(headers)
    date = headers.date(.date, now: responseDate) ?? responseDate
    initialAge = Self.age(headers, asked: requestDate, arrived: responseDate, made: date)
    lifetime = Self.lifetime(response, control, arrived: responseDate, made: date)
    varyingNames = headers.varyingNames
  }
}

extension CachingMetadata {
  private static func age(
    _ headers: Headers, asked: Date, arrived: Date, made: Date
  ) -> Duration {
    // The first element of a list counts, if it is a number (section 5.1).
    let told = headers.elements(of: .age).first.flatMap { CacheControl.seconds($0) }
    let apparentAge = max(.zero, arrived.since(made))
    let responseDelay = max(.zero, arrived.since(asked))
    return max(apparentAge, (told ?? .zero) + responseDelay)
  }

  private static func lifetime(
    _ response: Response, _ control: CacheControl, arrived: Date, made: Date
  ) -> Duration {
    if let maxAge = control.maxAge { return maxAge }
    if let expires = response.headers.values(of: .expires).first {
      // An invalid date, such as `0`, is in the past (section 5.3).
      guard let expiry = HTTPDate(expires, now: arrived)?.date else { return .zero }
      return max(.zero, expiry.since(made))
    }
    return heuristicLifetime(response, control, arrived: arrived, made: made)
  }

  /// The heuristic lifetime: a tenth of the time since the last change, and at most a day (section 4.2.2).
  private static func heuristicLifetime(
    _ response: Response, _ control: CacheControl, arrived: Date, made: Date
  ) -> Duration {
    guard response.status.isHeuristicallyCacheable || control.isPublic,
      let change = response.headers.date(.lastModified, now: arrived)
    else { return .zero }
    return min(max(.zero, made.since(change)) / 10, .seconds(86_400))
  }
}
