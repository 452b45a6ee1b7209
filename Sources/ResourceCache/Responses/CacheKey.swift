public import Foundation
package import ResourceLoading

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

  /// Creates the key of a request with its credentials.
  package init(_ request: Request) {
    self.init(
      url: request.url,
      partition: CachePartition(request.headers, besides: request.options.secretNames))
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
