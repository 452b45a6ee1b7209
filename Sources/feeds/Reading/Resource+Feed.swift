import Foundation
import ResourceLoading

extension Resource where R == Feed {
  /// The feed at a URL.
  ///
  /// It may be RSS, Atom or JSON Feed.
  ///
  /// - Parameters:
  ///   - url: Where the document is.
  ///   - timeout: How long the load may take.
  static func feed(_ url: URL, timeout: Duration) -> Self {
    var request = Request(url: url)
    request.headers[.accept] =
      "application/feed+json, application/atom+xml, application/rss+xml, */*;q=0.5"
    request.options.timeout = timeout
    // What could stand in for a server that fails was read before, and is no news.
    request.options.cachePolicy = .freshOnly
    return Resource(request) { response in try Feed(reading: response) }
  }
}
