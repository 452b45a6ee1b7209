public import Foundation
public import ResourceLoading

/// A response in a cache, with the information needed to use it again.
public struct StoredResponse: Sendable, Hashable {
  /// The response, without the fields of its connection and without `Set-Cookie`.
  public let response: Response
  /// The request fields that `Vary` names (RFC 9111 section 4.1). The values of fields that may
  /// contain a credential are hashed.
  public let selectingHeaders: Headers
  /// When the request was sent.
  public let requestDate: Date
  /// When the head of the response arrived.
  public let responseDate: Date
  /// Whether the request was redirected. Such a response is always revalidated, because the
  /// redirects may have changed.
  public let wasRedirected: Bool
  // The parsed headers, stored for repeated use.
  /// The `Cache-Control` directives.
  package let control: CacheControl
  /// When the server generated it: the `Date` field, or otherwise the date of arrival (RFC 9110
  /// section 6.6.1).
  let date: Date
  /// The age at arrival (RFC 9111 section 4.2.3).
  private let initialAge: Duration
  /// The time for which it is fresh (section 4.2.1), explicit or heuristic.
  package let freshnessLifetime: Duration
  /// The rule that gives ``freshnessLifetime``.
  package let lifetimeRule: LifetimeRule
  /// The request fields that `Vary` names (section 4.1).
  let varyingNames: [Headers.Name]
  /// The groups that `Cache-Groups` names.
  public let groups: Set<CacheGroup>

  /// Creates a response from the values in a database.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - selectingHeaders: The request fields that `Vary` names.
  ///   - requestDate: When the request was sent.
  ///   - responseDate: When the head of the response arrived.
  ///   - wasRedirected: Whether the request was redirected.
  public init(
    _ response: Response, selectingHeaders: Headers, requestDate: Date, responseDate: Date,
    wasRedirected: Bool = false
  ) {
    self.response = response
    self.selectingHeaders = selectingHeaders
    self.requestDate = requestDate
    self.responseDate = responseDate
    self.wasRedirected = wasRedirected
    let headers = response.headers
    control = CacheControl(headers)
    date = headers.date(.date, now: responseDate) ?? responseDate
    initialAge = Self.age(headers, asked: requestDate, arrived: responseDate, made: date)
    (freshnessLifetime, lifetimeRule) = Self.lifetime(
      response, control, arrived: responseDate, made: date)
    varyingNames = headers.varyingNames
    groups = headers.groups(of: response.url)
  }

  /// Identifies the variant of a URL. Two responses with the same variant are for the same
  /// requests.
  public var variant: String { selectingHeaders.variant }
}

extension Headers {
  /// See ``StoredResponse/variant``.
  fileprivate var variant: String {
    let fields = map { ($0.name.rawValue.lowercased(), $0.value) }
    return fields.sorted { $0 < $1 }.map { "\($0.0):\($0.1)" }.joined(separator: "\n")
  }
}

extension Request {
  /// Returns the fields that `Vary` names, as they are stored under a key.
  fileprivate func selectingHeaders(_ names: [Headers.Name], under key: CacheKey) -> Headers {
    var selecting = Headers()
    lazy var salt = VaryValue.salt(of: key)
    for name in names {
      selecting[name] = headers.selecting(name, besides: options.secretNames, salt: salt)
    }
    return selecting
  }

  /// Returns the variant that the request selects, as far as stored responses show what the
  /// server's responses vary by.
  func variant(among stored: [StoredResponse], under key: CacheKey) -> String {
    let names = Set(stored.flatMap(\.varyingNames)).sorted { $0.rawValue < $1.rawValue }
    return names.isEmpty ? "" : selectingHeaders(names, under: key).variant
  }
}

extension StoredResponse {
  /// Returns whether it is older than another response to the same request although it arrived
  /// later. It must then not replace the other one.
  ///
  /// If the two requests overlapped, the response with the later `Date` is newer, or if the dates
  /// don't decide, the response to the request that was sent later. If they didn't overlap, the
  /// second response is newer whatever its date, because servers' clocks differ.
  public func isOutdated(by other: StoredResponse) -> Bool {
    times.isOutdated(by: other.times)
  }

  private var times: ResponseTimes {
    ResponseTimes(response.headers, requestDate: requestDate, responseDate: responseDate)
  }
}

/// When a response was requested, generated and received.
package struct ResponseTimes: Sendable {
  private let requestDate: Date
  private let responseDate: Date
  private let date: Date?

  package init(_ headers: Headers, requestDate: Date, responseDate: Date) {
    (self.requestDate, self.responseDate) = (requestDate, responseDate)
    date = headers.date(.date, now: responseDate)
  }

  /// See ``StoredResponse/isOutdated(by:)``.
  package func isOutdated(by other: ResponseTimes) -> Bool {
    guard requestDate <= other.responseDate else { return false }
    // Storing takes less than a minute, so the clock was set back after the other one arrived.
    guard other.responseDate.since(responseDate) <= .seconds(60) else { return false }
    if let date, let other = other.date, date != other { return date < other }
    return requestDate < other.requestDate
  }
}

extension StoredResponse {
  /// Creates a stored response from a response and the request as it was sent.
  package init(
    _ response: Response, to request: Request, under key: CacheKey, requestDate: Date,
    responseDate: Date
  ) {
    var kept = response
    kept.headers = response.headers.withoutExchangeFields
    kept.source = .network
    let selecting = request.selectingHeaders(response.headers.varyingNames, under: key)
    self.init(
      kept, selectingHeaders: selecting, requestDate: requestDate, responseDate: responseDate,
      wasRedirected: response.provenance.map { !$0.redirects.isEmpty } ?? false)
  }
}

// Age and freshness (RFC 9111 section 4.2).
extension StoredResponse {
  /// Returns the age (section 4.2.3). If the clock was set back since the response arrived, it is
  /// at least the age at arrival.
  package func age(at now: Date) -> Duration {
    initialAge + max(.zero, now.since(responseDate))
  }

  /// Returns the time for which it has been stale; negative while it is fresh.
  ///
  /// A response that arrived more than a second in the future isn't fresh, because the clock was
  /// set back.
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
    let seconds = timeIntervalSince(other)
    // Two infinite dates of a damaged file.
    guard !seconds.isNaN else { return .zero }
    // Longer times would overflow. A date is no more exact than a microsecond.
    return .microseconds(Int64((min(max(seconds, -1e11), 1e11) * 1e6).rounded()))
  }
}

extension StoredResponse {
  private static func age(
    _ headers: Headers, asked: Date, arrived: Date, made: Date
  ) -> Duration {
    // The first element of a list is used if it is a number (section 5.1).
    let told = headers.elements(of: .age).first.flatMap { CacheControl.seconds($0) }
    let apparentAge = max(.zero, arrived.since(made))
    let responseDelay = max(.zero, arrived.since(asked))
    return max(apparentAge, (told ?? .zero) + responseDelay)
  }

  private static func lifetime(
    _ response: Response, _ control: CacheControl, arrived: Date, made: Date
  ) -> (Duration, LifetimeRule) {
    if let maxAge = control.maxAge { return (maxAge, .maxAge) }
    if let expires = response.headers.values(of: .expires).first {
      // An invalid date, such as `0`, is in the past (section 5.3).
      let expiry = HTTPDate(expires, now: arrived)?.date
      return (expiry.map { max(.zero, $0.since(made)) } ?? .zero, .expires)
    }
    return heuristicLifetime(response, control, arrived: arrived, made: made)
  }

  /// Returns the heuristic lifetime: a tenth of the time since the last change, but at most a day
  /// (section 4.2.2).
  private static func heuristicLifetime(
    _ response: Response, _ control: CacheControl, arrived: Date, made: Date
  ) -> (Duration, LifetimeRule) {
    guard response.status.isHeuristicallyCacheable || control.isPublic,
      let change = response.headers.date(.lastModified, now: arrived)
    else { return (.zero, .none) }
    return (min(max(.zero, made.since(change)) / 10, .seconds(86_400)), .lastModified)
  }
}

/// What determines how long a response is fresh (RFC 9111 section 4.2.1).
package enum LifetimeRule: Sendable, Hashable {
  case maxAge
  case expires
  /// The time since the last change (section 4.2.2).
  case lastModified
  /// The response doesn't say anything.
  case none
}

extension Headers {
  /// Returns the date in a field; `nil` if there is none.
  func date(_ name: Name, now: Date) -> Date? {
    values(of: name).first.flatMap { HTTPDate($0, now: now)?.date }
  }

  /// The headers without fields of the connection or a proxy (RFC 9111 section 3.1), and without
  /// cookies and proofs of authentication, which are for one exchange and shouldn't be in a file.
  var withoutExchangeFields: Headers {
    let left = Self.exchangeFields.union(elements(of: .connection).map { Name(rawValue: $0) })
    var kept = Headers()
    for field in self where !left.contains(field.name) { kept.append(field.name, field.value) }
    return kept
  }

  private static let exchangeFields: Set<Name> = [
    .connection, "Keep-Alive", "Proxy-Connection", .te, .trailer, .transferEncoding, .upgrade,
    "Proxy-Authenticate", "Proxy-Authentication-Info", .proxyAuthorization, .setCookie,
    "Set-Cookie2", "Authentication-Info",
  ]
}
