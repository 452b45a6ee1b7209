package import Foundation
internal import ResourceLoading

/// How old a response is, and how old it may get (RFC 9111 section 4.2).
extension StoredResponse {
  /// Its age (section 4.2.3).
  ///
  /// A clock that was set back since it arrived doesn't make it younger than it was then.
  package func age(at now: Date) -> Duration {
    let apparentAge = max(.zero, responseDate.since(date))
    let responseDelay = max(.zero, responseDate.since(requestDate))
    let correctedAge = (ageValue ?? .zero) + responseDelay
    let residentTime = max(.zero, now.since(responseDate))
    return max(apparentAge, correctedAge) + residentTime
  }

  private var ageValue: Duration? {
    // Section 5.1: of a list the first, and nothing if that isn't a number.
    response.headers[.age]?.split(separator: ",").first.flatMap { CacheControl.seconds($0.trimmed) }
  }

  /// How long it is fresh (section 4.2.1): as the server says, or as its last change makes likely.
  package var freshnessLifetime: Duration {
    if let maxAge = control.maxAge { return maxAge }
    if let expires = response.headers.values(of: .expires).first {
      // What isn't a date, such as `0`, is in the past (section 5.3).
      guard let expiry = HTTPDate(expires, now: responseDate)?.date else { return .zero }
      return max(.zero, expiry.since(date))
    }
    return heuristicLifetime
  }

  /// A tenth of the time since the last change (section 4.2.2), and at most a day: nobody has said anything.
  private var heuristicLifetime: Duration {
    guard response.status.isHeuristicallyCacheable || control.isPublic,
      let change = response.headers.date(.lastModified, now: responseDate)
    else { return .zero }
    return min(max(.zero, date.since(change)) / 10, .seconds(86_400))
  }

  /// How long it has been stale; negative while it is fresh.
  package func staleness(at now: Date) -> Duration { age(at: now) - freshnessLifetime }

  /// Whether it is fresh.
  package func isFresh(at now: Date) -> Bool { staleness(at: now) < .zero }
}

extension Status {
  /// Whether a response may be kept although nothing is said about it (RFC 9110 section 15.1).
  var isHeuristicallyCacheable: Bool {
    [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(rawValue)
  }
}

extension Date {
  /// The time since another moment.
  func since(_ other: Date) -> Duration {
    // Longer spans would only overflow.
    .seconds(min(max(timeIntervalSince(other), -1e11), 1e11))
  }
}
