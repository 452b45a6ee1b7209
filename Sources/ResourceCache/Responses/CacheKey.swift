public import Foundation
public import ResourceLoading

/// The key of a stored response: its URL and its partition.
public struct CacheKey: Sendable, Hashable {
  /// The absolute URL without its fragment and user info, scheme and host in lower case.
  public let url: String
  /// The part of the cache, one for each credential.
  public let partition: CachePartition

  /// Creates a key that a database has stored.
  ///
  /// - Parameters:
  ///   - url: The ``url`` of the key.
  ///   - partition: The part of the cache.
  public init(url: String, partition: CachePartition) {
    self.url = url
    self.partition = partition
  }

  /// Creates the key of a URL in a partition.
  ///
  /// - Parameters:
  ///   - url: An absolute URL.
  ///   - partition: The part of the cache.
  public init(url: URL, partition: CachePartition) {
    self.init(url: Self.text(of: url), partition: partition)
  }
}

extension CacheKey {
  /// Returns the form of a URL in keys.
  package static func text(of url: URL) -> String {
    let text = url.absoluteString
    // Most URLs have this form already, and parsing one costs more than a lookup in the cache.
    guard !url.isNormalized else { return text }
    let url = url.absoluteURL
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      return url.absoluteString
    }
    components.removeUnsentParts()
    // An address in brackets stays as it is: setting what isn't a host, such as one without them, ends the process.
    if let host = components.encodedHost, !host.hasPrefix("[") {
      components.encodedHost = host.lowercased()
    }
    if components.percentEncodedPath.isEmpty { components.percentEncodedPath = "/" }
    return components.string ?? url.absoluteString
  }
}

/// A part of a cache. A response to a request with one credential is never used for a request with another, or with none.
///
/// The name of a header doesn't say whether it is a credential. So all headers count, except for those on a list of
/// harmless ones: `Accept` and `Accept-…`, `Content-…`, `User-Agent`, `Cache-Control`, `Pragma`, conditions and ranges,
/// headers of a connection, hints of browsers (`Sec-…`, `DNT`, `Priority`), and trace identifiers (`traceparent`,
/// `X-Request-ID`). Two requests that differ in any other header share no responses.
public struct CachePartition: Sendable, Hashable {
  /// A hash of the credentials; empty for requests without any.
  public let name: String

  /// The partition of requests without credentials: all of their headers are harmless.
  public static let anonymous = CachePartition(name: "")

  /// Creates a partition that a database has stored.
  ///
  /// - Parameter name: The ``name`` of the partition.
  public init(name: String) { self.name = name }

  /// Creates the partition of a request.
  ///
  /// - Parameters:
  ///   - headers: All headers of the request.
  ///   - shared: The names of further harmless headers.
  ///   - secrets: The names of headers that the list has and that are credentials all the same:
  ///     `Request.Options.secretNames`.
  public init(
    _ headers: Headers, sharing shared: Set<Headers.Name> = [], besides secrets: Set<String>? = nil
  ) {
    let credentials = headers.filter {
      !$0.name.isHarmless(besides: secrets) && !shared.contains($0.name)
    }
    .map { ($0.name.rawValue.lowercased(), $0.value) }
    guard !credentials.isEmpty else {
      self = .anonymous
      return
    }
    // The order of fields with the same name may be significant. Sorting is stable.
    self.init(credentials.sorted { $0.0 < $1.0 })
  }

  /// Creates the partition of a user whom the program identifies.
  ///
  /// - Parameter owner: An identifier of the user, such as an account number.
  public init(owner: String) { self.init([("", owner)]) }

  private init(_ fields: [(name: String, value: String)]) {
    // With lengths, different fields never become the same text.
    let text = fields.map { name, value in "\(name.utf8.count):\(name)\(value.utf8.count):\(value)"
    }
    name = SecureHash.hexadecimal(SecureHash.sha256(text.joined().utf8))
  }
}

extension Headers.Name {
  /// Whether a request header is neither a credential nor selects a response without being named in `Vary`: all headers
  /// that may be sent to any origin, and some more.
  ///
  /// - Parameter secrets: Further names of secrets: `Request.Options.secretNames`.
  package func isHarmless(besides secrets: Set<String>? = nil) -> Bool {
    if let secrets, Secrets.isSecret(name: rawValue, or: secrets) { return false }
    if isForAllOrigins() || Self.harmless.contains(self) { return true }
    let name = rawValue.lowercased()
    return Self.harmlessPrefixes.contains { name.begins(with: $0) } && !Secrets.isSecret(name: name)
  }

  private static let harmlessPrefixes = ["sec-", "x-b3-"]

  private static let harmless: Set<Headers.Name> = [
    "Date", "Max-Forwards", "Connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding",
    "Upgrade", "Upgrade-Insecure-Requests", "DNT", "Priority", "Save-Data", "Idempotency-Key",
    "traceparent", "tracestate", "b3", "X-Request-ID", "X-Correlation-ID", "X-Amzn-Trace-Id",
  ]
}
