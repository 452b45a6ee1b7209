package import Foundation
internal import ResourceLoading

/// How old a response is, and how old it may get (RFC 9111 section 4.2).
extension StoredResponse {
  /// Its age (section 4.2.3).
  ///
  /// A clock that was set back since it arrived doesn't make it younger than it was then; how old it is can't be told
  /// any more.
  package func age(at now: Date) -> Duration {
    facts.initialAge + max(.zero, now.since(responseDate))
  }

  /// How long it is fresh (section 4.2.1): as the server says, or as its last change makes likely.
  package var freshnessLifetime: Duration { facts.lifetime }

  /// How long it has been stale; negative while it is fresh.
  ///
  /// What arrived in the future, by more than the second that HTTP counts in, isn't fresh: the clock was set back since.
  package func staleness(at now: Date) -> Duration {
    let staleness = age(at: now) - freshnessLifetime
    return responseDate.since(now) > .seconds(1) ? max(staleness, .zero) : staleness
  }

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
