public import Foundation
public import ResourceLoading
import ResourcePrimitives

/// The key of a stored response: its URL, its partition, and the content of a `QUERY`.
public struct CacheKey: Sendable, Hashable {
  /// The absolute URL without its fragment and user info, with scheme and host in lower case.
  public let url: String
  /// The part of the cache. Each credential has its own.
  public let partition: CachePartition
  /// A hash of the content of a `QUERY` and of the fields that describe it (RFC 10008);
  /// empty for a `GET`.
  public let content: String

  /// Creates a key from the values in a database.
  ///
  /// - Parameters:
  ///   - url: The ``url`` of the key.
  ///   - partition: The part of the cache.
  ///   - content: The ``content`` of the key.
  public init(url: String, partition: CachePartition, content: String = "") {
    self.url = url
    self.partition = partition
    self.content = content
  }

  /// Creates the key of a URL in a partition.
  ///
  /// - Parameters:
  ///   - url: An absolute URL.
  ///   - partition: The part of the cache.
  ///   - content: The ``content`` of the key.
  public init(url: URL, partition: CachePartition, content: String = "") {
    self.init(url: url.normalizedText, partition: partition, content: content)
  }

  /// The method whose responses are stored under the key.
  package var method: Request.Method { content.isEmpty ? .get : .query }
}

extension Request {
  /// The ``CacheKey/content`` of the request; `nil` if its responses aren't stored, because of its
  /// method, or because its body isn't in memory.
  var cachedContent: String? {
    switch method {
    case .get, .head: return ""
    case .query:
      guard body?.isInMemory ?? true, let bytes = try? body?.data() ?? Data() else { return nil }
      // The lengths ensure that different fields never result in the same text.
      let text = describingFields.map {
        "\($0.name.utf8.count):\($0.name)\($0.value.utf8.count):\($0.value)"
      }
      return SecureHash.hexadecimal(SecureHash.sha256(Array("\(text.joined())\n".utf8) + bytes))
    default: return nil
    }
  }

  /// The fields that describe the content, with names in lower case, in the order of their names.
  private var describingFields: [(name: String, value: String)] {
    var fields = headers.map { (name: $0.name.rawValue.lowercased(), value: $0.value) }
    fields.removeAll { !$0.name.hasPrefix("content-") || $0.name == "content-length" }
    if headers[.contentType] == nil, let body {
      fields.append(("content-type", body.contentType.rawValue))
    }
    // Sorting is stable.
    return fields.sorted { $0.name < $1.name }
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
