public import Foundation
package import ResourceLoading

/// Under what a response is stored: its URL, and whose it is.
public struct CacheKey: Sendable, Hashable {
  /// The absolute URL without its fragment and user info, scheme and host in lower case.
  public let url: String
  /// Whose part of the cache it is.
  public let partition: CachePartition

  /// Makes a key of what a database has kept of one.
  ///
  /// - Parameters:
  ///   - url: What ``url`` was.
  ///   - partition: Whose part of the cache it is.
  public init(url: String, partition: CachePartition) {
    self.url = url
    self.partition = partition
  }

  /// The key of a URL in somebody's part of the cache.
  ///
  /// - Parameters:
  ///   - url: An absolute URL.
  ///   - partition: Whose part of the cache it is.
  public init(url: URL, partition: CachePartition) {
    self.init(url: Self.text(of: url), partition: partition)
  }

  /// The key of a request, whose credentials are in its headers.
  package init(_ request: Request) {
    self.init(url: request.url, partition: CachePartition(request.headers))
  }
}

extension CacheKey {
  /// How a URL stands in keys.
  package static func text(of url: URL) -> String {
    let text = url.absoluteString
    // Most are as they have to be, and taking one apart costs more than finding it in the cache.
    guard !url.isNormalized else { return text }
    let url = url.absoluteURL
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
      return url.absoluteString
    }
    components.fragment = nil
    components.user = nil
    components.password = nil
    components.scheme = url.scheme?.lowercased()
    components.encodedHost = url.host()?.lowercased()
    if components.percentEncodedPath.isEmpty { components.percentEncodedPath = "/" }
    return components.string ?? url.absoluteString
  }
}
