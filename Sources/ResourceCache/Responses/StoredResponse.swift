public import Foundation
public import ResourceLoading

/// A response in a cache, with the information that is needed to use it again.
public struct StoredResponse: Sendable, Hashable {
  /// The response, without the fields of its connection and without `Set-Cookie`.
  public let response: Response
  /// The request fields that `Vary` names (RFC 9111 section 4.1). The values of fields that may contain a credential are
  /// hashed.
  public let selectingHeaders: Headers
  /// When the request was sent.
  public let requestDate: Date
  /// When the head of the response arrived.
  public let responseDate: Date
  /// Whether the request was redirected. Such a response is always revalidated, because the redirects may have changed.
  public let wasRedirected: Bool
  /// The parsed headers.
  let metadata: CachingMetadata

  /// Creates a response that a database has stored.
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
    metadata = CachingMetadata(response, requestDate: requestDate, responseDate: responseDate)
  }

  /// Identifies the variant of a URL: two responses with the same one are for the same requests.
  public var variant: String {
    let fields = selectingHeaders.map { ($0.name.rawValue.lowercased(), $0.value) }
    return fields.sorted { $0 < $1 }.map { "\($0.0):\($0.1)" }.joined(separator: "\n")
  }
}

extension StoredResponse {
  /// Creates a response for a cache.
  ///
  /// - Parameters:
  ///   - response: The response of the server.
  ///   - request: The request as it was sent.
  ///   - key: The key for storing it; `nil` for that of the request.
  ///   - requestDate: When the request was sent.
  ///   - responseDate: When the head of the response arrived.
  package init(
    _ response: Response, to request: Request, under key: CacheKey? = nil, requestDate: Date,
    responseDate: Date
  ) {
    var kept = response
    kept.headers = response.headers.withoutExchangeFields
    kept.source = .network
    var selecting = Headers()
    lazy var salt = VaryValue.salt(of: key ?? CacheKey(request))
    for name in response.headers.varyingNames {
      selecting[name] = request.headers.selecting(
        name, besides: request.options.secretNames, salt: salt)
    }
    self.init(
      kept, selectingHeaders: selecting, requestDate: requestDate, responseDate: responseDate,
      wasRedirected: response.provenance.map { !$0.redirects.isEmpty } ?? false)
  }

  /// The `Cache-Control` directives.
  var control: CacheControl { metadata.control }

  /// The `Date` field, or else the date of arrival (RFC 9110 section 6.6.1).
  var date: Date { metadata.date }
}

extension Headers {
  /// The date in a field, or `nil` if there is none.
  func date(_ name: Name, now: Date) -> Date? {
    values(of: name).first.flatMap { HTTPDate($0, now: now)?.date }
  }

  /// The headers without fields of the connection or a proxy (RFC 9111 section 3.1), and without cookies and proofs of
  /// authentication, which are meant for one exchange and don't belong in a file.
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
