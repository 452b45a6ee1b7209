internal import Foundation
internal import ResourceLoading

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
