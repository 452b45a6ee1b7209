public import Foundation
public import ResourceLoading

/// A response that a cache keeps, with what it must know to use it again.
public struct StoredResponse: Sendable, Hashable {
  /// The response, without the fields that belong to its connection and without cookies that it sets.
  public let response: Response
  /// The fields of its request that `Vary` names (RFC 9111 section 4.1), and no others. Of those that may hold a
  /// credential there is a hash in place of the value.
  public let selectingHeaders: Headers
  /// When its request was sent.
  public let requestDate: Date
  /// When its head arrived.
  public let responseDate: Date
  /// Whether redirects led to it: then it is used only after asking, for they may lead elsewhere by now.
  public let wasRedirected: Bool
  /// What its headers say, read once.
  let facts: StoredFacts

  /// Makes what a cache keeps of what a database has kept.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - selectingHeaders: The fields of its request that `Vary` names.
  ///   - requestDate: When its request was sent.
  ///   - responseDate: When its head arrived.
  ///   - wasRedirected: Whether redirects led to it.
  public init(
    _ response: Response, selectingHeaders: Headers, requestDate: Date, responseDate: Date,
    wasRedirected: Bool = false
  ) {
    self.response = response
    self.selectingHeaders = selectingHeaders
    self.requestDate = requestDate
    self.responseDate = responseDate
    self.wasRedirected = wasRedirected
    facts = StoredFacts(response, requestDate: requestDate, responseDate: responseDate)
  }

  /// What tells the variants of one URL apart: two with the same answer the same requests.
  public var variant: String {
    let fields = selectingHeaders.map { ($0.name.rawValue.lowercased(), $0.value) }
    return fields.sorted { $0 < $1 }.map { "\($0.0):\($0.1)" }.joined(separator: "\n")
  }
}

extension StoredResponse {
  /// Makes what a cache keeps of an exchange.
  ///
  /// - Parameters:
  ///   - response: What was answered.
  ///   - request: What was asked.
  ///   - key: What it will be stored under; `nil` for the request's own.
  ///   - requestDate: When the request was sent.
  ///   - responseDate: When the response's head arrived.
  package init(
    _ response: Response, to request: Request, under key: CacheKey? = nil, requestDate: Date,
    responseDate: Date
  ) {
    var kept = response
    kept.headers = response.headers.withoutExchangeFields
    kept.source = .network
    var selecting = Headers()
    lazy var salt = SelectingValue.salt(of: key ?? CacheKey(request))
    for name in response.headers.varyingNames {
      selecting[name] = request.headers.selecting(name, salt: salt)
    }
    self.init(
      kept, selectingHeaders: selecting, requestDate: requestDate, responseDate: responseDate,
      wasRedirected: response.provenance.map { !$0.redirects.isEmpty } ?? false)
  }

  /// Its directives.
  var control: CacheControl { facts.control }

  /// Its `Date`; without one, when it arrived (RFC 9110 section 6.6.1).
  var date: Date { facts.date }
}

extension Headers {
  /// The moment that a field holds, or `nil` where it doesn't.
  func date(_ name: Name, now: Date) -> Date? {
    values(of: name).first.flatMap { HTTPDate($0, now: now)?.date }
  }

  /// Without what belongs to one connection or to a proxy (RFC 9111 section 3.1), and without what is meant for this
  /// one exchange: cookies that it sets, and proofs of authentication. A file isn't the place for those.
  var withoutExchangeFields: Headers {
    let named = values(of: .connection).flatMap { $0.split(separator: ",") }
    let left = Self.exchangeFields.union(named.map { Name(rawValue: $0.trimmed) })
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

extension StringProtocol {
  /// Without the white space around it.
  var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
