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

/// What the headers of a stored response say, for the many times that it is looked at.
struct StoredFacts: Sendable, Hashable {
  let control: CacheControl
  /// When it was made (RFC 9110 section 6.6.1).
  let date: Date
  /// How old it was when it arrived (RFC 9111 section 4.2.3).
  let initialAge: Duration
  /// How long it is fresh (section 4.2.1).
  let lifetime: Duration
  /// The fields of requests that it varies by (section 4.1).
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

extension StoredFacts {
  private static func age(
    _ headers: Headers, asked: Date, arrived: Date, made: Date
  ) -> Duration {
    // Section 5.1: of a list the first, and nothing if that isn't a number.
    let told = headers[.age]?.split(separator: ",").first.flatMap {
      CacheControl.seconds($0.trimmed)
    }
    let apparentAge = max(.zero, arrived.since(made))
    let responseDelay = max(.zero, arrived.since(asked))
    return max(apparentAge, (told ?? .zero) + responseDelay)
  }

  private static func lifetime(
    _ response: Response, _ control: CacheControl, arrived: Date, made: Date
  ) -> Duration {
    if let maxAge = control.maxAge { return maxAge }
    if let expires = response.headers.values(of: .expires).first {
      // What isn't a date, such as `0`, is in the past (section 5.3).
      guard let expiry = HTTPDate(expires, now: arrived)?.date else { return .zero }
      return max(.zero, expiry.since(made))
    }
    return likelyLifetime(response, control, arrived: arrived, made: made)
  }

  /// A tenth of the time since the last change (section 4.2.2), and at most a day: nobody has said anything.
  private static func likelyLifetime(
    _ response: Response, _ control: CacheControl, arrived: Date, made: Date
  ) -> Duration {
    guard response.status.isHeuristicallyCacheable || control.isPublic,
      let change = response.headers.date(.lastModified, now: arrived)
    else { return .zero }
    return min(max(.zero, made.since(change)) / 10, .seconds(86_400))
  }
}

/// Notices when the system's date is set back: ages that are counted by it are too small from then on.
struct ClockWatch: Sendable {
  private var last: Next.Timestamp?
  /// How far the date had come when it was set back; after several times, the furthest.
  private(set) var setBackFrom: Date?

  /// Takes note of the present moment.
  mutating func note(_ moment: Next.Timestamp) {
    defer { last = moment }
    // Several clients may share a cache, and their clocks may have begun at different times.
    guard let last, moment.uptime >= last.uptime else { return }
    let expected = last.date.addingTimeInterval((moment.uptime - last.uptime) / .seconds(1))
    guard expected.since(moment.date) > .seconds(1) else { return }
    setBackFrom = max(setBackFrom ?? expected, expected)
  }
}
