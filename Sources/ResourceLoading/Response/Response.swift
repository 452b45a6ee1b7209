public import Foundation
import ResourcePrimitives

/// A response: the status, the headers and the whole decoded body.
public struct Response: Sendable, Hashable {
  /// The absolute URL of the response; after redirects the last one. Never contains user info.
  public var url: URL

  /// The method of the request; after redirects it may differ from the original one.
  public var method: Request.Method

  /// The status code.
  public var status: Status

  /// The headers. Repeated fields may have been joined by `", "` by the transport (RFC 9110 section
  /// 5.3).
  public var headers: Headers

  /// The body in bytes; empty if there is none.
  ///
  /// Its content codings are removed if the transport knows them, as every transport knows `gzip`
  /// and `deflate`. A ``CurlTransport`` leaves others on the body, and their names in the header
  /// `Content-Encoding`.
  public var body: Data

  /// The file with the body, for a download; `body` is empty then.
  public var file: URL?

  /// The number of bytes that were in the file before a resumed download; otherwise 0.
  var resumedSize = 0

  /// The details that the loader adds. On the heap: every waiting stage of a load keeps room for a
  /// response, of which they would be two thirds.
  private var loaded: Loaded?

  /// Creates a response, for transports and tests.
  ///
  /// - Parameters:
  ///   - url: The absolute URL of the response.
  ///   - method: The method of the request.
  ///   - status: The status code.
  ///   - headers: The headers.
  ///   - body: The decoded body in bytes.
  public init(
    url: URL, method: Request.Method = .get, status: Status = .ok, headers: Headers = [:],
    body: Data = Data()
  ) {
    self.url = url
    self.method = method
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Whether this response has no body by definition, whatever its headers say: a response to
  /// `HEAD`, and 1xx, 204, 205 and 304 (RFC 9110 sections 9.3.2, 15.3.5, 15.3.6 and 15.4.5).
  public var isBodiless: Bool {
    method == .head || status.isInformational || [204, 205, 304].contains(status.rawValue)
  }
}

extension Response {
  /// Returns whether two responses are equal in what the server sent; the details that the loader
  /// adds don't count.
  public static func == (one: Response, other: Response) -> Bool {
    one.url == other.url && one.method == other.method && one.status == other.status
      && one.headers == other.headers && one.body == other.body && one.file == other.file
      && one.resumedSize == other.resumedSize
  }

  /// Hashes what the server sent.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(url)
    hasher.combine(method)
    hasher.combine(status)
    hasher.combine(headers)
    hasher.combine(body)
  }
}

extension Response {
  /// The details that a loader adds to what the server sent.
  struct Details: Sendable {
    var decoder: JSONDecoder?
    var errorBody: ErrorBody?
    /// The URL of the request before any redirect.
    var requested: URL?
    var source = Source.network
    var provenance: Provenance?
    /// Headers that the request and its client allow on requests to other origins.
    var crossOriginHeaders: Set<Headers.Name>?
    /// ``Request/Options/secretNames`` of the request.
    var secretNames: Set<String>?
    /// What a middleware adds to the reason of an error about this response.
    var remark: String?
    /// The error that caused a cache to answer with an error of its own.
    var cause: LoadError?
    var trailers: Headers?
  }

  private final class Loaded: Sendable {
    let details: Details

    init(_ details: Details) { self.details = details }
  }

  /// The details that the loader adds. Setting any of them allocates: set them together.
  var details: Details {
    get { loaded?.details ?? Details() }
    set { loaded = Loaded(newValue) }
  }

  /// The decoder for JSON: that of the client that loaded the response, or a plain one.
  public var decoder: JSONDecoder { details.decoder ?? .plain }
}

extension Response {
  /// The trailers of the body (RFC 9110 section 6.5), where the engine has them: `CurlTransport`
  /// does, `URLSession` doesn't. They don't count when responses are compared, and no cache stores
  /// them.
  public var trailers: Headers { details.trailers ?? Headers() }
}

extension JSONDecoder {
  /// The shared default, which is never changed.
  fileprivate static let plain = JSONDecoder()
}

extension Response {
  /// The origin of a response. Cases may be added: a `switch` needs an `@unknown default`.
  @nonexhaustive public enum Source: Sendable {
    /// From the server, just now.
    case network
    /// From a cache without asking the server: fresh, of this age (RFC 9111 section 4.2).
    case cache(age: Duration)
    /// From a cache, after the server confirmed with a 304 that it is valid.
    case revalidated
    /// From a cache, although stale: of this age, and used for this reason.
    case stale(age: Duration, because: StaleReason)
  }

  /// The reason why a stale response was used. Cases may be added: a `switch` needs an `@unknown
  /// default`.
  @nonexhaustive public enum StaleReason: Sendable {
    /// The request allows it: by `max-stale`, or by its ``Request/CachePolicy``.
    case allowed
    /// It is revalidated in the background (RFC 5861 section 3).
    case revalidating
    /// The server can't be reached, or failed (RFC 9111 section 4.2.4, RFC 5861 section 4).
    // Indirect, since every response has room for it and hardly any needs it.
    indirect case failed(LoadError)
  }

  /// The origin of the response: the server, or a cache. It doesn't count when responses are
  /// compared.
  ///
  /// Observers of events get it as well, see ``LoadEvent/Kind/fromCache(_:)``.
  public var source: Source {
    get { details.source }
    set { details.source = newValue }
  }
}

extension Response.Source: CustomStringConvertible {
  /// A short description without secrets.
  public var description: String {
    switch self {
    case .network: "from the server"
    case .cache(let age): "from the cache, \(age.brief) old"
    case .revalidated: "from the cache, still good"
    case .stale(let age, let reason): "from the cache, \(age.brief) old, \(reason)"
    }
  }
}

extension Response.StaleReason: CustomStringConvertible {
  /// A short description without secrets.
  public var description: String {
    switch self {
    case .allowed: "stale as the request allows"
    case .revalidating: "stale while revalidating"
    case .failed(let error):
      "stale because of an error: \(error.kind): \(SecretText.redact(error.reason))".printable
    }
  }
}

/// The provenance of a response, for caches: what only the exchange knows for certain.
package struct Provenance: Sendable {
  /// The identities of the request and of those that redirects led to, in order.
  package var identities: [RequestIdentity] = []
  /// The redirects on the way, in order.
  package var redirects: [ResponseHead] = []
  /// When the first request was sent, by the clock of the client.
  package let start: Duration
}

extension Provenance {
  /// Returns whether the redirects led to requests with credentials that the first one didn't have,
  /// such as a cookie that a redirect has set.
  package func addsCredentials(sharing shared: Set<Headers.Name>) -> Bool {
    guard let first = identities.first, identities.count > 1 else { return false }
    let known = Set(first.credentials(asking: first.target, sharing: shared))
    return !identities.dropFirst().allSatisfy {
      known.isSuperset(of: $0.credentials(asking: $0.target, sharing: shared))
    }
  }
}

extension Response {
  /// Creates the answer of a cache that may not use a stale response, and couldn't revalidate it
  /// (RFC 9111 section 5.2.2.2). A load that doesn't accept the status fails with `cause`.
  package static func gatewayTimeout(to request: Request, because cause: LoadError) -> Response {
    var response = Response(url: request.url, method: request.method, status: 504)
    response.details = Details(source: .cache(age: .zero), cause: cause)
    return response
  }

  /// The provenance; `nil` for a response that a middleware created.
  package var provenance: Provenance? { details.provenance }
}
