public import Foundation
public import ResourceLoading
import ResourcePrimitives

/// The key of a stored response: its URL and its partition.
public struct CacheKey: Sendable, Hashable {
  /// The absolute URL without its fragment and user info, with scheme and host in lower case.
  public let url: String
  /// The part of the cache. Each credential has its own.
  public let partition: CachePartition

  /// Creates a key from the values in a database.
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
    self.init(url: url.normalizedText, partition: partition)
  }
}

extension CacheKey: CustomReflectable {
  /// Shows the URL without secrets, and the partition.
  public var customMirror: Mirror {
    Mirror(self, children: ["url": url.redactedURL().printable, "partition": partition])
  }
}

/// A part of a cache. A response to a request with one credential is never used for a request with
/// another credential, or with none.
///
/// The name of a header doesn't show whether it is a credential. So all headers are compared except
/// those on a list of harmless ones: `Accept` and `Accept-…`, `Content-…`, `User-Agent`,
/// `Cache-Control`, `Pragma`, conditions and ranges, headers of a connection, hints of browsers
/// (`Sec-…`, `DNT`, `Priority`), and trace identifiers (`traceparent`, `X-Request-ID`). Two
/// requests that differ in any other header share no responses.
///
/// Besides headers, these are compared: the query items that later middleware adds to the URL, and
/// what the transport adds, such as a client certificate, the credentials of a proxy or a Unix
/// socket (`Transport.identity(for:)`).
public struct CachePartition: Sendable, Hashable {
  /// A hash of the credentials; empty for requests without any.
  public let name: String

  /// The partition of requests without credentials, which have only harmless headers.
  public static let anonymous = CachePartition(name: "")

  /// Creates a partition from the value in a database.
  ///
  /// - Parameter name: The ``name`` of the partition.
  public init(name: String) { self.name = name }

  /// Creates the partition of a request.
  ///
  /// - Parameters:
  ///   - headers: All headers of the request.
  ///   - sharedHeaders: The names of additional harmless headers.
  ///   - secretNames: The names of headers that are credentials although they are on the list:
  ///     `Request.Options.secretNames`.
  public init(
    headers: Headers, sharedHeaders: Set<Headers.Name> = [], secretNames: Set<String>? = nil
  ) {
    self.init(
      RequestIdentity.credentials(in: headers, sharing: sharedHeaders, besides: secretNames))
  }

  /// Creates the partition of a request as it was or would be sent: from its headers, from
  /// additions to the requested URL, and from what the transport adds.
  init(_ identity: RequestIdentity, asking url: URL, sharing shared: Set<Headers.Name>) {
    self.init(identity.credentials(asking: url, sharing: shared))
  }

  /// Creates the partition of a user that the program identifies.
  ///
  /// - Parameter owner: An identifier of the user, such as an account number.
  public init(owner: String) { self.init([.init("", owner)]) }

  private init(_ credentials: [RequestIdentity.Credential]) {
    guard !credentials.isEmpty else {
      self = .anonymous
      return
    }
    // The lengths ensure that different fields never result in the same text.
    let text = credentials.map {
      "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)"
    }
    name = SecureHash.hexadecimal(SecureHash.sha256(text.joined().utf8))
  }
}
