package import Foundation
package import ResourceLoading

/// Under what a response is stored: its URL, and whose it is.
package struct CacheKey: Sendable, Hashable {
  /// The absolute URL without its fragment, scheme and host in lower case.
  package let url: String
  /// Whose part of the cache it is.
  package let partition: CachePartition

  /// The key of a request, whose credentials are in its headers.
  package init(_ request: Request) {
    self.init(url: request.url, partition: CachePartition(request.headers))
  }

  /// The key of a URL in somebody's part of the cache.
  package init(url: URL, partition: CachePartition) {
    let url = url.absoluteURL
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    components?.fragment = nil
    components?.scheme = url.scheme?.lowercased()
    components?.encodedHost = url.host()?.lowercased()
    self.url = components?.string ?? url.absoluteString
    self.partition = partition
  }
}
